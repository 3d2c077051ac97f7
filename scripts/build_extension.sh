#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# build_extension.sh [--package] BUILD PYTHON...: compiles the extension xylem._xylem for each PYTHON, of
# which one has nanobind (PyPI), against BUILD/portable/lib/libxylem_native.so, into BUILD/portable/python.
# --package: into the package BUILD/python/xylem, which runs from the source tree.
# Where the library is for 64-bit ARM and the machine is not, the extensions are cross-compiled with the headers
# of each PYTHON: what they say of types is the same on all 64-bit Linux.
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

native=$build/portable/lib/libxylem_native.so
cross=()
if [[ $(uname -m) != aarch64 ]] && readelf --file-header "$native" | grep -q 'Machine: *AArch64'; then
  cross=(-DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++)
fi

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
  options=()
  if ((${#cross[@]} > 0)); then
    tag=${tag/$(uname -m)/aarch64}
    include=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')
    options=("${cross[@]}" -DPython_INCLUDE_DIR="$include" -DSKBUILD_SOABI="$tag")
  fi
  folder=$build/extension/$tag
  mkdir -p "$folder"
  cmake -S python/extension -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DXYLEM_NATIVE="$native" -DXYLEM_NANOBIND="$nanobind" "${options[@]}" \
    -DPython_EXECUTABLE="$(command -v "$python")" -DXYLEM_PYTHON_OUTPUT="$output" >"$folder/configure.log" 2>&1 ||
    { cat "$folder/configure.log" >&2; exit 1; }
  cmake --build "$folder" --parallel 2
done
