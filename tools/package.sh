#!/usr/bin/env bash
# Build wheel and sdist from a clean clone of the last commit, check both, and install the wheel into an empty environment.
# Called by make; leaves both in _build/dist. PYTHON=... chooses the interpreter.
set -euo pipefail
unset PYTHONPATH
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
root=$PWD
git clone --quiet "$root" "$folder/clone"

make_venv() {
    "${PYTHON:-python3}" -m venv "$folder/$1"
    "$folder/$1/bin/python" -m pip --disable-pip-version-check --quiet install "${@:2}"
}

make_venv tools build==1.6.1 twine==7.0.0 check-wheel-contents==0.6.3
bin=$folder/tools/bin
"$bin/python" -m build --outdir "$folder/dist" "$folder/clone" > "$folder/log" || { cat "$folder/log"; exit 1; }
"$bin/twine" check --strict "$folder"/dist/*
# The wheel was built from the sdist, so a file that the sdist lacks is missing here too. Widgets ship as bundles, not as sources.
"$bin/check-wheel-contents" --package "$folder/clone/src/attnbook" --package-omit js "$folder"/dist/*.whl

wheel=$(echo "$folder"/dist/*.whl)
make_venv empty "$wheel[book]"
mkdir "$folder/elsewhere"
cd "$folder/elsewhere"
"$folder/empty/bin/python" - << 'END'
import importlib, pkgutil, attnbook
for module in pkgutil.walk_packages(attnbook.__path__, "attnbook."):
    if not module.name.endswith(".sphinx"):  # extensions for Sphinx, which need docutils
        importlib.import_module(module.name)
print("attnbook", attnbook.__version__, "installs from its wheel")
END
for command in train translate evaluate attend export; do
    "$folder/empty/bin/attnbook" "$command" --help > /dev/null
done
rm -rf "$root/_build/dist"
mkdir -p "$root/_build"
cp -r "$folder/dist" "$root/_build/dist"
ls -l "$root/_build/dist"
