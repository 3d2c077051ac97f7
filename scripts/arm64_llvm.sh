#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# arm64_llvm.sh FOLDER: unpacks LLVM's archives for 64-bit ARM into FOLDER, from the package llvm-19-dev of
# that architecture, which cannot be installed beside that of this machine.
set -euo pipefail
folder=$1
version=19
[[ -f $folder/libLLVMAArch64CodeGen.a ]] && exit
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
chmod 755 "$scratch" # apt reads and writes as another user
(cd "$scratch" && apt-get -q download "llvm-$version-dev:arm64" </dev/null && dpkg-deb -x ./*.deb files)
mkdir -p "$folder"
mv "$scratch/files/usr/lib/llvm-$version"/lib/*.a "$folder/"
