#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Run in a clean root by scripts/test_wheel.sh: installs the wheel of /share/wheel with the newest Python, and
# runs the command and a program on arrays of NumPy. /share/newest has the wheels of NumPy, /share/install this folder.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }
check() { # check WHAT TEXT PATTERN
  case $2 in *"$3"*) echo "ok: $1" ;; *) fail "$1: expected '$3' in: $2" ;; esac
}
python3.14 -m venv /opt/env
export PATH=/opt/env/bin:$PATH
pip install --quiet --disable-pip-version-check --no-index --find-links /share/newest --find-links /share/wheel 'xylem[numpy]'
cd /tmp
check "$(python --version), xylem run" "$(xylem run /share/install/constant.hlo 2>run.err)" "{2, 4, 6}"
grep -i interpret run.err && fail "the program was interpreted"
check "arrays" "$(python -c '
import numpy, xylem
print(xylem.load("/share/install/squares.hlo")(numpy.float32([1, 2, 3])))')" "[ 2.  5. 10.]"
