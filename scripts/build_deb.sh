#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# build_deb.sh BUILD FOLDER: packs what was built in BUILD as Debian packages into FOLDER, and checks them
# with lintian if it is installed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=${1:-build}
folder=${2:-build-deb}
command -v dpkg-shlibdeps >/dev/null || { echo "this needs dpkg-shlibdeps (apt-get install dpkg-dev)" >&2; exit 1; }
mkdir -p "$folder"
rm -rf "$folder"/*.deb "$folder"/_CPack_Packages "$folder/debian"
umask 022

# Debian has a folder of libraries for each architecture. Nothing is compiled again for it.
restore() { cmake -B "$build" -U CMAKE_INSTALL_LIBDIR >/dev/null; }
trap restore EXIT
cmake -B "$build" -DCMAKE_INSTALL_LIBDIR="lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)" >/dev/null

# The packages that a binary needs, by the versions of the symbols that it uses.
mkdir "$folder/debian"
printf 'Source: xylem\n\nPackage: xylem\nArchitecture: any\n' >"$folder/debian/control"
depends() { # depends COMPONENT FILE: an option for cpack
  local list
  list=$(cd "$folder" && dpkg-shlibdeps -O "$OLDPWD/$2" 2>/dev/null)
  echo "CPACK_DEBIAN_$1_PACKAGE_DEPENDS=${list#shlibs:Depends=}"
}
engines=()
for engine in gloo mpi; do
  [[ ! -e $build/libxylem_$engine.so ]] || engines+=(-D "$(depends ${engine^^} "$build/libxylem_$engine.so")")
done
cpack --config "$build/CPackConfig.cmake" -G DEB -B "$folder" "${engines[@]}" \
  -D "$(depends COMMAND "$build/xylem")" -D "$(depends LIBRARY "$build/libxylem.so")" \
  -D "$(depends PLUGIN "$build/libxylem_pjrt.so")" >"$folder/cpack.log" 2>&1 ||
  { cat "$folder/cpack.log" >&2; exit 1; }
rm -rf "$folder"/_CPack_Packages "$folder/debian"
ls -l "$folder"/*.deb | awk '{printf "%s (%.1f MB)\n", $9, $5 / 1e6}'
if command -v lintian >/dev/null; then
  lintian --fail-on error,warning --allow-root "$folder"/*.deb
  echo "lintian: no errors, no warnings"
else
  echo "skipped: lintian is not installed"
fi
