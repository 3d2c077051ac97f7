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
rooms=(base text interp kernels runtime lapack cpu pjrt)
parts=("$@")
(($# > 0)) || parts=("${rooms[@]}" programs interpreted reference conformance)
cd "$(dirname "${BASH_SOURCE[0]}")/.."
conformance=${XYLEM_CONFORMANCE:-../shared/conformance}

qemu=()
if [[ $(uname -m) != aarch64 ]]; then
  qemu=("$(command -v qemu-aarch64-static || command -v qemu-aarch64)")
fi

failed=()
run() {
  local name=$1
  shift
  printf '%-14s ' "$name"
  local start=$SECONDS
  if output=$("${qemu[@]}" "$@" 2>&1); then
    printf '%s, %d s\n' "$(sed -n 's/^.*PASSED *\] //p' <<<"$output" | grep . || grep -v '^ *$' <<<"$output" | tail -1)" \
      $((SECONDS - start))
  else
    printf 'FAILED\n%s\n' "$output" | tail -40
    failed+=("$name")
  fi
}

# Times mean nothing under qemu, and it starts no other process: tests that end one do so.
skipped='*Linear*:*Time*:*Timed*:*Death*:*EndTheProcess*:*IsReadAlone:*WithoutLlvm*'
for part in "${parts[@]}"; do
  case $part in
    programs) run "$part" "$folder/xylem" test --quiet --backend=cpu tests/hlo tests/documents tests/operations ;;
    interpreted) run "$part" "$folder/xylem" test --quiet --backend=interpreter tests/hlo tests/documents tests/operations ;;
    reference) run "$part" "$folder/xylem" check --backend=cpu tests/programs/*/ ;;
    conformance)
      if [[ ! -d $conformance/testdata ]]; then
        echo "conformance    skipped: there is no folder $conformance/testdata"
        continue
      fi
      mapfile -t tenth < <(find "$conformance/testdata" -maxdepth 1 -name '*.mlir' | sort | awk 'NR % 10 == 0')
      run "$part" "$folder/xylem" test --quiet --backend=cpu --jobs 2 "${tenth[@]}"
      ;;
    kernels)
      # All take an hour under qemu: every tenth.
      ((${#qemu[@]} == 0)) || export GTEST_TOTAL_SHARDS=10 GTEST_SHARD_INDEX=0
      run "$part" "$folder/test_$part" --gtest_brief=1 --gtest_filter="-$skipped"
      unset GTEST_TOTAL_SHARDS GTEST_SHARD_INDEX
      ;;
    *) run "$part" "$folder/test_$part" --gtest_brief=1 --gtest_filter="-$skipped" ;;
  esac
done
if ((${#failed[@]} > 0)); then
  echo "failed: ${failed[*]}"
  exit 1
fi
