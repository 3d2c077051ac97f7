#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_arm64.sh FOLDER [PART...]
# Runs representative tests of a build for 64-bit ARM (make arm64), on such a machine or under qemu's
# user mode. Parts, all if none is named: tests of the rooms base, text, interp, kernels, runtime,
# lapack, cpu (the compiler) and pjrt (the plugin's C interface); self-checking programs, compiled
# (programs) and interpreted; reference programs, compiled; every tenth program of the conformance
# data if they are there (XYLEM_CONFORMANCE, or ../shared/conformance).
set -euo pipefail
if (($# < 1)); then
  sed -n 's/^# \?//p' "$0" | sed -n '2,7p' >&2
  exit 2
fi
folder=$1
shift
parts=("$@")
# Those that take longest are first.
(($# > 0)) || parts=(cpu reference lapack interp kernels text base runtime pjrt programs interpreted conformance)
cd "$(dirname "${BASH_SOURCE[0]}")/.."
conformance=${XYLEM_CONFORMANCE:-../shared/conformance}

qemu=()
if [[ $(uname -m) != aarch64 ]]; then
  qemu=("$(command -v qemu-aarch64-static || command -v qemu-aarch64)")
fi

logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
# What runs in the background ignores Ctrl-C.
trap 'rm -rf "$logs"; kill 0' INT

# One line for a part; all that it prints if it fails.
run() {
  local name=$1
  shift
  local start=$SECONDS output
  if output=$("${qemu[@]}" "$@" 2>&1); then
    printf '%-14s %s, %d s\n' "$name" \
      "$(sed -n 's/^.*PASSED *\] //p' <<<"$output" | grep . || grep -v '^ *$' <<<"$output" | tail -1)" $((SECONDS - start))
  else
    printf '%-14s FAILED\n%s\n' "$name" "$output" | tail -40
    touch "$logs/$name.failed"
  fi
}

# Times mean nothing under qemu, and it starts no other process: tests that end one do so.
skipped='*Linear*:*Time*:*Timed*:*StopSoon*:*StopsSoon*:*Death*:*EndTheProcess*:*IsReadAlone*:*WithoutLlvm*'
run_part() {
  local part=$1 tenth
  case $part in
    programs) run "$part" "$folder/xylem" test --quiet --backend=cpu tests/hlo tests/documents tests/operations ;;
    interpreted) run "$part" "$folder/xylem" test --quiet --backend=interpreter tests/hlo tests/documents tests/operations ;;
    reference) run "$part" "$folder/xylem" check --backend=cpu tests/programs/*/ ;;
    conformance)
      if [[ ! -d $conformance/testdata ]]; then
        echo "conformance    skipped: there is no folder $conformance/testdata"
        return
      fi
      mapfile -t tenth < <(find "$conformance/testdata" -maxdepth 1 -name '*.mlir' | sort | awk 'NR % 10 == 0')
      run "$part" "$folder/xylem" test --quiet --backend=cpu --jobs 2 "${tenth[@]}"
      ;;
    kernels)
      # All take an hour under qemu: every tenth.
      ((${#qemu[@]} == 0)) || export GTEST_TOTAL_SHARDS=10 GTEST_SHARD_INDEX=0
      run "$part" "$folder/test_$part" --gtest_brief=1 --gtest_filter="-$skipped"
      ;;
    *) run "$part" "$folder/test_$part" --gtest_brief=1 --gtest_filter="-$skipped" ;;
  esac
}

# As many at a time as there are CPUs: most are one thread.
for part in "${parts[@]}"; do
  while (($(jobs -rp | wc -l) >= $(nproc))); do wait -n; done
  run_part "$part" &
done
wait
failed=("$logs"/*.failed)
if [[ -e ${failed[0]} ]]; then
  failed=("${failed[@]##*/}")
  echo "failed: ${failed[*]%.failed}"
  exit 1
fi
