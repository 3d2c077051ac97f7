#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Run in a clean root by scripts/test_wheel.sh: installs the wheel of /share/wheel, uses it, removes it.
# /share/packages has the wheels of JAX, /share/install this folder.
set -eu
fail() { echo "FAILED: $*" >&2; exit 1; }
check() { # check WHAT TEXT PATTERN
  case $2 in *"$3"*) echo "ok: $1" ;; *) fail "$1: expected '$3' in: $2" ;; esac
}
content() { (cd /opt/env && find . ! -path '*/__pycache__*' | sort); }

for command in g++ gcc cc clang llc; do
  command -v "$command" >/dev/null && fail "$command is installed: this is no clean root"
done
find / -xdev -name 'libLLVM*' | grep . && fail "LLVM is installed: this is no clean root"

python3 -m venv /opt/env
export PATH=/opt/env/bin:$PATH
pip install --quiet --no-index --find-links /share/packages jax
content >/tmp/before

pip install --quiet --no-index --find-links /share/packages --find-links /share/wheel 'xylem[jax]'
pip check >/dev/null
version=$(pip show xylem | sed -n 's/^Version: //p')
check "version" "$(xylem --version)" "xylem $version"
check "python -m" "$(python -m xylem --version)" "xylem $version"

cd /tmp
cp /share/install/squares.hlo .
python -c 'import numpy; numpy.save("x.npy", numpy.float32([1, 2, 3]))'
check "xylem run" "$(xylem run squares.hlo --input x.npy 2>run.err)" "out00 = f32[3] {2, 5, 10}"
grep -i interpret run.err && fail "the program was interpreted"
xylem run squares.hlo --input x.npy --output out.npz 2>/dev/null
check "npz" "$(python -c 'import numpy; print(numpy.load("out.npz")["out00"].tolist())')" "[2.0, 5.0, 10.0]"
check "arrays" "$(python -c '
import numpy, xylem
print(xylem.load("squares.hlo")(numpy.float32([1, 2, 3])))')" "[ 2.  5. 10.]"
check "machine code" "$(xylem compile --emit=llvm squares.hlo)" "define"
xylem aot squares.hlo -o squares
check "ahead of time" "$(cat squares.h)" "squares_run"
check "interpreter" "$(xylem run --backend=interpreter squares.hlo --input x.npy 2>/dev/null)" "{2, 5, 10}"
check "verify" "$(xylem verify squares.hlo && echo fine)" "fine"
xylem run missing.hlo 2>run.err && fail "a missing file is no error"
check "errors" "$(cat run.err)" "No such file"

# Of the system: the C library, and zlib, which every Python has.
site=$(python -c 'import os, xylem; print(os.path.dirname(xylem.__file__))')
needed=$(ldd "$site/bin/xylem" "$site/lib/libxylem_pjrt.so" | grep -o '=> /[^ ]*' | cut -c4- | sort -u |
  grep -v "^$(dirname "$site")" | sed 's|.*/||' | tr '\n' ' ')
for library in $needed; do
  case $library in
    libc.so.6 | libm.so.6 | libz.so.1 | libdl.so.2 | libpthread.so.0 | librt.so.1) ;;
    *) fail "it needs $library of the system" ;;
  esac
done
echo "ok: needs $needed"

check "JAX" "$(JAX_PLATFORMS=xylem python -W ignore /share/install/jax_program.py 2>jax.err || cat jax.err)" \
  "all as expected on xylem"
check "JAX, as cpu" "$(JAX_PLATFORMS=cpu XYLEM_PLATFORM_NAME=cpu python -W ignore /share/install/jax_program.py 2>&1)" \
  "all as expected on cpu"
grep -i interpret jax.err && fail "JAX's programs were interpreted"

ls "$site"/../xylem-*.dist-info/licenses/LICENSE >/dev/null
pip uninstall --quiet --yes xylem
content >/tmp/after
cmp /tmp/before /tmp/after || { diff /tmp/before /tmp/after; fail "uninstall left something"; }
echo "ok: uninstall leaves nothing"
