#!/usr/bin/env bash
# Build the book without Jupyter Book, with the newest Sphinx, MyST-NB and myst-parser, in a separate environment.
# Called by make with the bin folder of the pinned environment. PYTHON=... chooses the interpreter.
set -euo pipefail
bin=$1
venv=_build/plain/venv
stack='^(jupyter-book|sphinx|myst|docutils|pydata-sphinx-theme|markdown-it-py|mdit-py-plugins)'
newest="sphinx myst-nb myst-parser sphinx-book-theme sphinx-external-toc sphinx-exercise sphinx-copybutton sphinx-design
    sphinx-togglebutton sphinx-multitoc-numbering sphinxcontrib-bibtex sphinxext-opengraph"
"${PYTHON:-python3}" -m venv --clear "$venv"
plain=$venv/bin
[ -d "$venv/Scripts" ] && plain=$venv/Scripts
"$plain/python" -m pip --disable-pip-version-check --quiet install uv
grep -viE "$stack" requirements.txt > "$venv/rest.txt"
# shellcheck disable=SC2086
"$plain/uv" pip install --quiet --python "$plain/python" -r "$venv/rest.txt" $newest
"$plain/uv" pip install --quiet --python "$plain/python" --no-deps -r requirements-d2l.txt --editable .
"$plain/uv" pip list --python "$plain/python" | grep -E '^(sphinx|myst-nb|myst-parser|docutils|sphinx-book-theme) '
trap 'rm -f conf.py' EXIT
"$bin/jupyter-book" config sphinx . > /dev/null
# two extensions of Jupyter Book itself, which the pages do not need
sed -i.part "s/'jupyter_book', //; s/'sphinx_jupyterbook_latex', //; /^use_jupyterbook_latex/d" conf.py
rm -f conf.py.part
OMP_NUM_THREADS=1 "$plain/python" -m sphinx -b html --fail-on-warning --keep-going . _build/plain/html
