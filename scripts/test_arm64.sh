#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: test_arm64.sh FOLDER
# Runs representative tests of a build for 64-bit ARM (make arm64), on such a machine or under qemu's
# user mode: base, text, interpreter, kernels and runtime; self-checking programs, operations and
# reference programs compiled; every tenth program of the conformance data if they are there
# (XYLEM_CONFORMANCE, or ../shared/conformance); the plugin's C interface.
set -euo pipefail
if (($# != 1)); then
  sed -n 's/^# \?//p' "$0" | sed -n '2,6p' >&2
  exit 2
fi
folder=$1
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
  if output=$("${qemu[@]}" "$@" 2>&1); then
    printf '%s\n' "$output" | grep -v '^ *$' | tail -1
  else
    printf 'FAILED\n%s\n' "$output" | tail -40
    failed+=("$name")
  fi
}

# Times mean nothing under qemu, and it starts no other process: tests that end one do so.
not_timed='-*Linear*:*Time*:*Timed*:*Death*:*EndTheProcess*:*IsReadAlone:*WithoutLlvm*'
for room in base text interp kernels runtime lapack cpu pjrt; do
  [[ -x $folder/test_$room ]] || continue
  run "$room" "$folder/test_$room" --gtest_brief=1 --gtest_filter="$not_timed"
done
run programs "$folder/xylem" test --quiet --backend=cpu tests/hlo tests/documents tests/operations
run interpreted "$folder/xylem" test --quiet --backend=interpreter tests/hlo tests/documents tests/operations
run reference "$folder/xylem" check --backend=cpu tests/programs/*/
if [[ -d $conformance/testdata ]]; then
  mapfile -t tenth < <(find "$conformance/testdata" -maxdepth 1 -name '*.mlir' | sort | awk 'NR % 10 == 0')
  run conformance "$folder/xylem" test --quiet --backend=cpu --jobs 2 "${tenth[@]}"
else
  echo "conformance    skipped: there is no folder $conformance/testdata"
fi
if ((${#failed[@]} > 0)); then
  echo "failed: ${failed[*]}"
  exit 1
fi
