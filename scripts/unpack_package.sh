#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# unpack_package.sh PACKAGE FOLDER: unpacks a package of Debian, of another architecture (NAME:arm64), say, into a
# folder, without installing it: for files that cannot lie beside those of the machine's own. Does nothing where
# FOLDER has the newest version that the package lists know.
set -euo pipefail
(($# == 2)) || { sed -n '3,5p' "$0" | cut -c3- >&2; exit 2; }
package=$1 folder=$2
version=$(apt-cache policy "$package" | sed -n 's/^ *Candidate: //p')
[[ -n $version && $version != "(none)" ]] || { echo "there is no package $package (apt-get update)" >&2; exit 1; }
if [[ $(cat "$folder/version" 2>/dev/null) == "$package $version" ]]; then
  exit 0
fi
rm -rf "$folder"
mkdir -p "$folder"
(cd "$folder" && apt-get -q download "$package=$version")
dpkg-deb --extract "$folder"/*.deb "$folder"
rm "$folder"/*.deb
echo "$package $version" >"$folder/version"
