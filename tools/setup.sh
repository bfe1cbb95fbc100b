#!/usr/bin/env bash
# Create or update the virtual environment that builds and tests the book; called by make.
# PYTHON=... chooses the interpreter; otherwise the first of 3.11 to 3.14 that is found.
set -euo pipefail
venv=$1

fits() { "$1" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))' 2>/dev/null; }

find_python() {
    if [ -n "${PYTHON:-}" ]; then
        fits "$PYTHON" && echo "$PYTHON" && return
        echo "PYTHON=$PYTHON does not run, or is not Python 3.11 to 3.14." >&2
        return 1
    fi
    for candidate in python3 python3.14 python3.13 python3.12 python3.11 python; do
        fits "$candidate" && echo "$candidate" && return
    done
    echo "The book needs Python 3.11, 3.12, 3.13 or 3.14, and found $(python3 --version 2>/dev/null || echo none)." >&2
    echo "Install one, or name one: make book PYTHON=/path/to/python3.12" >&2
    return 1
}

started=$SECONDS
bin=$venv/bin
[ "${OS:-}" = Windows_NT ] && bin=$venv/Scripts
if ! fits "$bin/python"; then
    python=$(find_python)
    echo "Creating $venv with $("$python" --version) ..."
    if ! "$python" -m venv --clear "$venv"; then
        echo "That Python has no venv module. On Debian and Ubuntu: apt install python3-venv" >&2
        exit 1
    fi
fi
pip() { "$bin/python" -m pip --disable-pip-version-check --quiet "$@"; }
echo "Installing the pinned environment into $venv (the first time takes minutes) ..."
pip install -r requirements.txt
pip install --no-deps -r requirements-d2l.txt
pip install --no-deps --no-build-isolation --editable .
# Make the packages of the checkout (bookkit, benchmarks, experiments) importable from every folder.
"$bin/python" -c 'import pathlib, sysconfig
pathlib.Path(sysconfig.get_path("purelib"), "attention_book_checkout.pth").write_text(str(pathlib.Path.cwd()))'
echo "The environment is ready ($((SECONDS - started)) s)."
