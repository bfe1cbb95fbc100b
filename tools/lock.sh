#!/usr/bin/env bash
# Write requirements.txt from requirements.in: every package, for Python 3.11 to 3.14 and every system; called by make.
# GPU packages are left out: torch's metadata pins them, and a CPU build of torch needs none.
set -euo pipefail
bin=$1
"$bin/python" -m pip --disable-pip-version-check --quiet install uv
head='# Every package that builds and tests the book, pinned. Written by `make lock` from requirements.in: change that.
# One more is pinned in requirements-d2l.txt, because it must be installed without its metadata.'
pins=$("$bin/uv" pip compile --quiet --universal --python-version 3.11 --no-header --no-annotate requirements.in |
    grep -Ev '^(nvidia-|cuda-|triton)|sys_platform == .(emscripten|android)|implementation_name == .pypy')
printf '%s\n%s\n' "$head" "$pins" > requirements.txt.part
mv requirements.txt.part requirements.txt
