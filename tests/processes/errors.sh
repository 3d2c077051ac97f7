#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# errors.sh XYLEM FOLDER: what `xylem run --processes` says when it cannot run a program.
set -uo pipefail
xylem=$1 folder=$2
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
export TMPDIR=$out
failures=0
# expect CODE TEXT ARGUMENTS...: the exit code, and the text, once, on stderr.
expect() {
  local code=$1 text=$2
  shift 2
  "$xylem" run "$@" >"$out/stdout" 2>"$out/stderr" </dev/null
  local got=$?
  if [[ $got != "$code" || $(grep -cF -- "$text" "$out/stderr") != 1 ]]; then
    echo "xylem run $*: exit code $got instead of $code, or not once: $text"
    cat "$out/stderr"
    failures=$((failures + 1))
  fi
}
expect 1 "no_such_file.hlo" --processes 3 "$folder/no_such_file.hlo"
expect 1 "standard input" --processes 2 -
expect 1 "--process and --job" --process 1 "$folder/sharded.hlo"
expect 1 "they count from 0" --processes 2 --process 2 --job "$out/job" "$folder/sharded.hlo"
expect 1 "exchanges data with the host" --processes 2 --random 1 "$folder/outfeed.hlo"
exit $((failures > 0))
