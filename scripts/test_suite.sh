#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# test_suite.sh SUITE [TARGET...]: makes the targets (by default, test) from a fresh clone of the last commit in a clean root of a
# suite of Debian or Ubuntu (scripts/clean_root.sh), with what the suite has: its compiler, its Highway, its Abseil.
# `make check-systems`. Needs the suite's packages by network, an hour of one CPU and 6 GB.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
(($# >= 1)) || { sed -n '3,5p' "$0" | cut -c3- >&2; exit 2; }
suite=$1
shift
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
git clone --quiet --depth 1 "file://$PWD" "$scratch/xylem"
# shellcheck disable=SC2016
scripts/clean_root.sh "$suite" ca-certificates,git,make --share "$scratch/xylem" \
  bash -c 'cp -r /share/xylem /xylem && cd /xylem && exec make "$@"' make "${@:-test}" || (($? == 77)) # where there can be no root
