#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# digits_demo.sh BUILD: classifies 360 images of handwritten digits with the trained model in
# models/digits, prints accuracy and time, and draws the sheet BUILD/demo/digits.svg.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=${1:-build}
model=models/digits
out=$build/demo
mkdir -p "$out"

echo "xylem run $model/predict.hlo --input $model/test_images.npy --output $out/predicted.npz"
start=${EPOCHREALTIME/[.,]/}
"$build/xylem" run "$model/predict.hlo" --input "$model/test_images.npy" --output "$out/predicted.npz"
end=${EPOCHREALTIME/[.,]/}

"$build/digits_sheet" "$model/test_images.npy" "$model/test_labels.npy" "$out/predicted.npz" \
  "$out/digits.svg"
printf 'time: %d.%03d s, reading the program and writing the results included\n' \
  $(((end - start) / 1000000)) $(((end - start) / 1000 % 1000))
echo "sheet: file://$PWD/$out/digits.svg (open it in a browser)"
