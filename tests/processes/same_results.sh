#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# same_results.sh XYLEM BACKEND FILE...: each program gives the same bytes in one process and in several.
set -euo pipefail
xylem=$1 backend=$2
shift 2
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
export TMPDIR=$out
for file in "$@"; do
  "$xylem" run --backend "$backend" --random 1 --output "$out/one.npz" "$file" >"$out/one.txt" 2>/dev/null
  for several in "2" "4" "4 --tcp"; do
    # shellcheck disable=SC2086
    "$xylem" run --backend "$backend" --random 1 --processes $several --force --output "$out/several.npz" \
      "$file" >"$out/several.txt" 2>"$out/errors.txt" || { cat "$out/errors.txt"; exit 1; }
    cmp "$out/one.npz" "$out/several.npz"
    diff <(sed 's/ -> .*//' "$out/one.txt") <(sed 's/ -> .*//' "$out/several.txt")
    echo "$(basename "$file") on $several processes: the same"
  done
done
# Nothing is left of the folders in which processes found each other.
if compgen -G "$out/xylem-job-*" >/dev/null; then
  ls -d "$out"/xylem-job-*
  exit 1
fi
