#!/usr/bin/env bash
# Test the package with the lowest or the newest packages that it allows, in an environment of its own; called by make.
# PYTHON=... chooses the interpreter.
set -euo pipefail
which=$1
case $which in
    lowest) resolution=lowest-direct ;;
    newest) resolution=highest ;;
    *) echo "bounds.sh lowest, or newest" >&2; exit 2 ;;
esac
python=${PYTHON:-python3}
venv=_build/bounds-$which
echo "Making $venv ..."
"$python" -m venv --clear "$venv"
bin=$venv/bin
[ -d "$venv/Scripts" ] && bin=$venv/Scripts
"$bin/python" -m pip --disable-pip-version-check --quiet install uv
# what the tests need, as pinned for the book; the package's own requirements are free
tools=$(grep -E '^(pytest|hypothesis|packaging|pyyaml|psutil|nbformat|nbclient|ipykernel)==' requirements.txt)
printf '%s\n' "$tools" > "$venv/tools.txt"
"$bin/uv" pip install --quiet --python "$bin/python" --resolution "$resolution" ${UV_OPTIONS:-} ".[book]" -r "$venv/tools.txt"
"$bin/uv" pip list --python "$bin/python" | grep -E '^(torch|numpy|matplotlib|seaborn|ipywidgets|anywidget|typer) '
# all tests of the package, without those that need d2l or the rest of the repository, or judge its sources
tests=$(git ls-files 'tests/**test_*.py' | grep -vE 'book/|browser/|d2l|experiments|compare|benchmark|toolkits|architecture|test_sphinx')
"$bin/python" -m pytest $tests -p no:cacheprovider "${@:2}"
