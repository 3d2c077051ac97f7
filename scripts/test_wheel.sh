#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# test_wheel.sh WHEEL [JAX_VERSION]: installs the wheel into a clean Debian 12 (scripts/clean_root.sh), where
# there is neither LLVM nor a compiler, runs programs and JAX with it, and removes it; then installs it for
# each CPython from 3.10 to 3.14, and runs the command with those that are at hand, and with 3.14 in a clean root of
# the Debian that has it. `make check-wheel`. A wheel for 64-bit ARM runs in a clean root of that architecture, under
# qemu (`make check-wheel-arm64`).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
wheel=$(realpath "$1")
jax=${2:-0.10.2}
python=${PYTHON:-python3}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tag=${wheel%.whl}
tag=${tag##*-}
machine=x86_64 architecture=amd64 # of the wheel, as Python and as Debian call it
[[ $tag != *_aarch64 ]] || machine=aarch64 architecture=arm64
is_cross=
[[ $machine == "$(uname -m)" ]] || is_cross=1

echo "== each CPython"
"$python" -m venv "$scratch/pip"
for version in 3.10 3.11 3.12 3.13 3.14; do
  "$scratch/pip/bin/pip" install --quiet --disable-pip-version-check --no-index --no-deps --only-binary :all: \
    --python-version "$version" --platform "$tag" --target "$scratch/$version" "$wheel"
  if [[ $is_cross ]]; then
    echo "ok: installs for CPython $version"
    continue
  fi
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

# download FOLDER PYTHON REQUIREMENT...: what these need, once, into a folder that is kept.
download() {
  local folder=$1 version=$2 platforms=()
  shift 2
  for platform in manylinux2014 manylinux_2_17 manylinux_2_26 manylinux_2_27 manylinux_2_28; do
    platforms+=(--platform "${platform}_$machine")
  done
  [[ ! -f $folder/complete ]] || return 0
  mkdir -p "$folder"
  timeout 600 "$python" -m pip download --quiet --disable-pip-version-check --dest "$folder" --only-binary :all: \
    --python-version "$version" "${platforms[@]}" "$@" </dev/null
  touch "$folder/complete"
}

roots=${XYLEM_ROOTS:-/var/tmp/xylem-roots}
mkdir "$scratch/wheel" "$scratch/packages" "$scratch/newest"
cp "$wheel" "$scratch/wheel/"

echo "== clean root"
download "$roots/packages-jax-$jax-$architecture" 3.11 "jax==$jax"
cp "$roots/packages-jax-$jax-$architecture"/*.whl "$scratch/packages/"
scripts/clean_root.sh bookworm python3,python3-venv --arch "$architecture" --share "$scratch/wheel" \
  --share "$scratch/packages" --share tests/install sh /share/install/wheel_in_root.sh ||
  (($? == 77)) # where there can be no root
[[ ! $is_cross ]] || exit 0

echo "== CPython 3.14"
download "$roots/packages-3.14" 3.14 numpy ml_dtypes
cp "$roots/packages-3.14"/*.whl "$scratch/newest/"
scripts/clean_root.sh forky python3.14,python3.14-venv --share "$scratch/wheel" --share "$scratch/newest" \
  --share tests/install sh /share/install/wheel_with_newest_python.sh || (($? == 77))
