#!/usr/bin/env bash
# Test the package with the lowest or the newest versions that it allows, in a separate environment; called by make.
# PYTHON=... chooses the interpreter.
set -euo pipefail
which=$1
case $which in
    lowest) resolution=lowest-direct ;;
    newest) resolution=highest ;;
    *) echo "usage: bounds.sh lowest|newest" >&2; exit 2 ;;
esac
python=${PYTHON:-python3}
venv=_build/bounds-$which
echo "Creating $venv ..."
"$python" -m venv --clear "$venv"
bin=$venv/bin
[ -d "$venv/Scripts" ] && bin=$venv/Scripts
"$bin/python" -m pip --disable-pip-version-check --quiet install uv
# pinned versions for the test tools only; the requirements of the package are resolved
tools=$(grep -E '^(pytest|pytest-xdist|execnet|hypothesis|packaging|pyyaml|psutil|nbformat|nbclient|ipykernel)==' requirements.txt)
printf '%s\n' "$tools" > "$venv/tools.txt"
"$bin/uv" pip install --quiet --python "$bin/python" --resolution "$resolution" ${UV_OPTIONS:-} ".[book]" -r "$venv/tools.txt"
"$bin/uv" pip list --python "$bin/python" | grep -E '^(torch|numpy|matplotlib|seaborn|ipywidgets|anywidget|typer) '
# all tests of the package, except those that need d2l, need the rest of the repository, or check its sources
tests=$(git ls-files 'tests/**test_*.py' | grep -vE 'book/|browser/|d2l|experiments|compare|benchmark|toolkits|architecture|test_sphinx')
"$bin/python" -m pytest $tests --numprocesses logical --dist worksteal -p no:cacheprovider "${@:2}"
