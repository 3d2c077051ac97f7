#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: run_conformance.sh XYLEM FOLDER [SET...]
# Runs the sets of the conformance data that are HLO text: programs that check themselves
# (testdata_hlo, interpret_hlo), and texts with XLA's verdict (hlo). Other sets are listed as skipped.
set -euo pipefail
if (($# < 2)); then
  sed -n 's/^# \?//p' "$0" | sed -n '2,4p' >&2
  exit 2
fi
xylem=$1 folder=$2
shift 2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
sets=("$@")
if ((${#sets[@]} == 0)); then
  for set in "$folder"/*/; do sets+=("$(basename "$set")"); done
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

failed=()
for set in "${sets[@]}"; do
  echo "-- $set"
  if [[ ! -d $folder/$set ]]; then
    echo "FAILED: there is no folder $folder/$set"
    failed+=("$set")
    continue
  fi
  case $set in
    testdata_hlo | interpret_hlo)
      "$xylem" test --quiet --disabled "$here/tests/conformance_disabled.txt" "$folder/$set" ||
        failed+=("$set")
      ;;
    hlo) check_verdicts "$folder/$set" || failed+=("$set") ;;
    *) echo "skipped: not HLO" ;;
  esac
done
if ((${#failed[@]} > 0)); then
  echo "failed: ${failed[*]}"
  exit 1
fi
