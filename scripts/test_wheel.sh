#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# test_wheel.sh WHEEL [JAX_VERSION]: installs the wheel into a clean Debian 12 (scripts/clean_root.sh), where
# there is neither LLVM nor a compiler, runs programs and JAX with it, and removes it; then installs it for
# each CPython from 3.10 to 3.14, and runs the command with those that are at hand. `make check-wheel`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
wheel=$(realpath "$1")
jax=${2:-0.10.2}
python=${PYTHON:-python3}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

echo "== each CPython"
"$python" -m venv "$scratch/pip"
for version in 3.10 3.11 3.12 3.13 3.14; do
  "$scratch/pip/bin/pip" install --quiet --disable-pip-version-check --no-index --no-deps --only-binary :all: \
    --python-version "$version" --target "$scratch/$version" "$wheel"
  for candidate in "python$version" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$version".*/bin/python; do
    "$candidate" -c 'import venv, ensurepip' 2>/dev/null || continue
    "$candidate" -m venv "$scratch/env$version"
    "$scratch/env$version/bin/pip" install --quiet --disable-pip-version-check --no-index "$wheel"
    "$scratch/env$version/bin/xylem" run tests/install/constant.hlo 2>"$scratch/err" | grep -q '{2, 4, 6}'
    if grep -i interpret "$scratch/err"; then exit 1; fi
    # The library needs NumPy for arrays only.
    "$scratch/env$version/bin/python" -c 'import xylem; assert xylem.load("tests/install/constant.hlo").verify() is None'
    # There is no compiler in the clean root.
    (cd "$scratch" && "env$version/bin/xylem" aot "$OLDPWD/tests/install/squares.hlo" -o squares &&
      cc -I. "$OLDPWD/tests/install/squares.c" squares.a "env$version"/lib/python*/site-packages/xylem/lib/libxylem_runtime.a \
        -Wl,--gc-sections -lstdc++ -lm -o squares && ./squares) | grep -qx '2 5 10'
    echo "ok: installs and runs with $("$candidate" --version)"
    continue 2
  done
  echo "ok: installs for CPython $version"
done

echo "== clean root"
packages=${XYLEM_ROOTS:-/var/tmp/xylem-roots}/packages-jax-$jax
if [[ ! -f $packages/complete ]]; then
  mkdir -p "$packages"
  timeout 600 "$python" -m pip download --quiet --disable-pip-version-check --dest "$packages" --only-binary :all: \
    --python-version 3.11 --platform manylinux2014_x86_64 --platform manylinux_2_17_x86_64 \
    --platform manylinux_2_27_x86_64 --platform manylinux_2_28_x86_64 "jax==$jax" </dev/null
  touch "$packages/complete"
fi
mkdir "$scratch/wheel" "$scratch/packages"
cp "$wheel" "$scratch/wheel/"
cp "$packages"/*.whl "$scratch/packages/"
scripts/clean_root.sh bookworm python3,python3-venv --share "$scratch/wheel" --share "$scratch/packages" \
  --share tests/install sh /share/install/wheel_in_root.sh || (($? == 77)) # where there can be no root
