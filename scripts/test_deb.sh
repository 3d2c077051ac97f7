#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# test_deb.sh FOLDER: installs the Debian packages of FOLDER into a clean Debian 12 (scripts/clean_root.sh)
# with what they depend on, runs the command, a program in C++ and the plugin, and purges all.
# `make check-deb`. Needs Debian's packages by network.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/deb"
cp "$1"/*.deb "$scratch/deb/"
scripts/clean_root.sh "${XYLEM_SUITE:-bookworm}" g++,pkg-config --share "$scratch/deb" --share tests \
  --share xla --share examples sh /share/tests/install/deb_in_root.sh || (($? == 77)) # where there can be no root
