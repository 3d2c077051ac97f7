#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# cluster_demo.sh [PYTHON]: trains the digits data-parallel on 4 processes of this machine, and on 4 devices of
# one process, and shows that loss and weights are the same bit for bit. PYTHON has JAX and the wheel
# (build-jax/bin/python, which `make jax` makes); the plugin is that of build/, which has the module that connects
# processes beside it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python=${1:-build-jax/bin/python}
if ! "$python" -c 'import jax' 2>/dev/null; then
  echo "cluster_demo.sh: $python has no JAX; \`make jax\` installs JAX and Xylem into build-jax/" >&2
  exit 1
fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
export JAX_PLATFORMS=xylem
export XYLEM_PJRT_LIBRARY=${XYLEM_PJRT_LIBRARY:-$PWD/build/libxylem_pjrt.so}
echo "4 processes of 1 device:"
"$python" -W ignore examples/jax/train_digits_processes.py --processes 4 --devices 1 --json "$out/several.json"
echo "1 process of 4 devices:"
"$python" -W ignore examples/jax/train_digits_processes.py --devices 4 --json "$out/one.json"
"$python" - "$out" <<'END'
import json, sys
several, one = (json.load(open(f"{sys.argv[1]}/{name}.json")) for name in ("several", "one"))
same = all(several[key] == one[key] for key in ("loss", "weights"))
print("loss and weights are equal, bit for bit" if same else "loss or weights DIFFER")
sys.exit(0 if same else 1)
END
