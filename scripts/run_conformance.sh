#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: run_conformance.sh XYLEM FOLDER [SET...]
# Runs the sets of the conformance data: programs that check themselves, as HLO and StableHLO; texts
# with XLA's verdict (hlo); StableHLO that must be accepted or, with expected-error lines, rejected
# (ops); StableHLO of all versions, which must be read (vhlo); and StableHLO of dynamic sizes, which
# must verify and print. Programs run on both backends, or on those of BACKENDS.
set -euo pipefail
if (($# < 2)); then
  sed -n 's/^# \?//p' "$0" | sed -n '2,6p' >&2
  exit 2
fi
xylem=$1 folder=$2
shift 2
backends=${BACKENDS:-interpreter cpu}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
sets=("$@")
if ((${#sets[@]} == 0)); then
  for set in "$folder"/*/; do sets+=("$(basename "$set")"); done
  for set in testdata/dynamic testdata/quantized; do
    [[ -d $folder/$set ]] && sets+=("$set")
  done
fi

# Xylem must accept the texts that XLA accepts, and reject the others, unless listed with a reason.
check_verdicts() {
  local text name verdict wrong=0 total=0
  for text in "$1"/*.hlo; do
    [[ -f ${text%.hlo}.xla.json ]] || continue
    name=$(basename "$text")
    if grep -q "^$name:" "$here/tests/conformance_disabled.txt"; then continue; fi
    # XLA itself ends on a few.
    if grep -q '^"ok": null' "${text%.hlo}.xla.json"; then continue; fi
    total=$((total + 1))
    verdict=false
    if "$xylem" print --no-verify --output /dev/null "$text" 2>/dev/null; then verdict=true; fi
    if ! grep -q "^\"ok\": $verdict" "${text%.hlo}.xla.json"; then
      echo "FAILED $name: accepted by Xylem: $verdict; XLA disagrees"
      wrong=$((wrong + 1))
    fi
  done
  echo "$((total - wrong)) of $total verdicts are those of XLA"
  ((wrong == 0))
}

# Each program of a file, which "// -----" separate, must be accepted unless it expects an error.
check_ops() {
  local parts part verdict wrong=0 total=0
  parts=$(mktemp -d)
  for file in "$1"/*.mlir; do
    awk -v base="$parts/$(basename "$file" .mlir)" \
      '/^\/\/ -----/ { n++; next } { print > (base "." n + 0 ".mlir") }' "$file"
  done
  for part in "$parts"/*.mlir; do
    grep -qvE '^ *(//.*)?$' "$part" || continue
    total=$((total + 1))
    verdict=accepted
    "$xylem" verify "$part" >/dev/null 2>&1 || verdict=rejected
    if { [[ $verdict == accepted ]] && grep -q expected-error "$part"; } ||
      { [[ $verdict == rejected ]] && ! grep -q expected-error "$part"; }; then
      grep -q "^ops/$(basename "$part"):" "$here/tests/conformance_disabled.txt" && continue
      echo "FAILED $(basename "$part"): $verdict"
      wrong=$((wrong + 1))
    fi
  done
  rm -r "$parts"
  echo "$((total - wrong)) of $total verdicts are those of StableHLO"
  ((wrong == 0))
}

check_read() {
  local file wrong=0
  for file in "$1"/*; do
    if "$xylem" verify "$file" >/dev/null 2>&1; then
      [[ $file != */invalid_* ]] && continue
    else
      [[ $file == */invalid_* ]] && continue
    fi
    echo "FAILED $(basename "$file")"
    wrong=$((wrong + 1))
  done
  ((wrong == 0))
}

check_read_and_printed() {
  local file wrong=0 total=0
  for file in "$1"/*.mlir; do
    total=$((total + 1))
    "$xylem" verify "$file" >/dev/null 2>&1 &&
      "$xylem" print --to=stablehlo --output /dev/null "$file" 2>/dev/null && continue
    echo "FAILED $(basename "$file")"
    wrong=$((wrong + 1))
  done
  echo "$((total - wrong)) of $total verify and print"
  ((wrong == 0))
}

failed=()
for set in "${sets[@]}"; do
  echo "-- $set"
  if [[ ! -d $folder/$set ]]; then
    echo "FAILED: there is no folder $folder/$set"
    failed+=("$set")
    continue
  fi
  case $set in
    testdata_hlo | interpret_hlo | testdata | testdata_bc | testdata/quantized | interpret | \
      interpret_bc | interpret_cc | math)
      for backend in $backends; do
        lists=("$here/tests/conformance_disabled.txt")
        [[ $backend == cpu ]] && lists+=("$here/tests/cpu/conformance_disabled.txt")
        "$xylem" test --backend="$backend" --quiet \
          --disabled <(cat "${lists[@]}") "$folder/$set" ||
          failed+=("$set ($backend)")
      done
      ;;
    hlo) check_verdicts "$folder/$set" || failed+=("$set") ;;
    ops) check_ops "$folder/$set" || failed+=("$set") ;;
    vhlo) check_read "$folder/$set" || failed+=("$set") ;;
    testdata/dynamic) check_read_and_printed "$folder/$set" || failed+=("$set") ;;
    *) echo "skipped: unknown" ;;
  esac
done
if ((${#failed[@]} > 0)); then
  echo "failed: ${failed[*]}"
  exit 1
fi
