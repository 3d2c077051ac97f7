#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# build_extension.sh [--package] BUILD PYTHON...: compiles the extension xylem._xylem for each PYTHON, of
# which one has nanobind (PyPI), against BUILD/portable/lib/libxylem_native.so, into BUILD/portable/python.
# --package: into the package BUILD/python/xylem, which runs from the source tree.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source=$PWD
package=
if [[ $1 == --package ]]; then
  package=1
  shift
fi
build=$(cd "$1" && pwd)
shift
output=$build/portable/python
if [[ $package ]]; then
  output=$build/python/xylem
  mkdir -p "$output/bin"
  for file in "$source"/python/xylem/* "$build/gen/python/_operations.py"; do
    [[ $file == */__pycache__ ]] || ln -sfn "$file" "$output/"
  done
  ln -sfn "$build/portable/lib" "$output/lib"
  ln -sfn "$build/xylem" "$output/bin/xylem"
fi
mkdir -p "$output"

nanobind=${NANOBIND-} # the folder of its CMake package
for python in "$@"; do
  nanobind=${nanobind:-$("$python" -m nanobind --cmake_dir 2>/dev/null || true)}
done
if [[ -z $nanobind ]]; then
  echo "none of $* has nanobind: pip install nanobind" >&2
  exit 1
fi
for python in "$@"; do
  tag=$("$python" -c 'import sysconfig; print(sysconfig.get_config_var("SOABI"))')
  folder=$build/extension/$tag
  mkdir -p "$folder"
  cmake -S python/extension -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DXYLEM_NATIVE="$build/portable/lib/libxylem_native.so" -DXYLEM_NANOBIND="$nanobind" \
    -DPython_EXECUTABLE="$(command -v "$python")" -DXYLEM_PYTHON_OUTPUT="$output" >"$folder/configure.log" 2>&1 ||
    { cat "$folder/configure.log" >&2; exit 1; }
  cmake --build "$folder" --parallel 2
done
