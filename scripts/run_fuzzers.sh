#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run_fuzzers.sh BUILD SECONDS: runs each fuzz_* of the build folder, seeded with programs of the
# repository. The corpus grows under BUILD/corpus; a finding is left under BUILD/findings.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=${1:?build folder}
seconds=${2:-60}

mkdir -p "$build/findings" "$build"/seeds/{text,proto,mlir,mlirbc,none}
find tests -name '*.hlo' -size -64k |
  while read -r file; do cp "$file" "$build/seeds/text/${file//\//_}"; done
find tests -name '*.pb' -size -64k |
  while read -r file; do cp "$file" "$build/seeds/proto/${file//\//_}"; done
for kind in mlir mlirbc; do
  find tests bench -name "*.$kind" -size -64k |
    while read -r file; do cp "$file" "$build/seeds/$kind/${file//\//_}"; done
done

# A buffer that there is no memory for is an error to its caller, not to the sanitizer.
export ASAN_OPTIONS=${ASAN_OPTIONS:-allocator_may_return_null=1}
found=0
for fuzzer in "$build"/fuzz_*; do
  [[ -x $fuzzer ]] || continue
  found=1
  name=$(basename "$fuzzer")
  case $name in
    fuzz_mlir_text) seeds=$build/seeds/mlir ;;
    fuzz_mlir_bytecode) seeds=$build/seeds/mlirbc ;;
    *text* | *run*) seeds=$build/seeds/text ;;
    fuzz_hlo_proto) seeds=$build/seeds/proto ;;
    *) seeds=$build/seeds/none ;;
  esac
  # Calls take a byte or two each: short inputs say little. They may ask for large buffers, which
  # they leave untouched.
  lengths=(-max_len=65536)
  [[ $name == fuzz_*_calls ]] && lengths=(-max_len=400 -len_control=0 -malloc_limit_mb=16384)
  mkdir -p "$build/corpus/$name"
  echo "== $name: $seconds s"
  "$fuzzer" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 "${lengths[@]}" \
    -print_final_stats=1 -artifact_prefix="$build/findings/$name-" "$build/corpus/$name" "$seeds"
done
((found)) || { echo "no fuzz_* in $build" >&2; exit 1; }
