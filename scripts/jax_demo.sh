#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# jax_demo.sh BUILD FOLDER: packs the wheel from BUILD, makes a virtual environment with JAX in FOLDER,
# installs the wheel there, and trains examples/jax/train_digits.py on Xylem and on JAX's own CPU
# compiler. PYTHON names the interpreter (3.10 or later; the newest at hand, as the newest JAX needs
# a new one), JAX_VERSION the version of JAX (the newest that the interpreter takes).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=${1:-build}
mkdir -p "${2:-build-jax}"
folder=$(cd "${2:-build-jax}" && pwd)

# The newest interpreter on the PATH or of pyenv that can make virtual environments.
newest_python() {
  local version candidate
  for version in 14 13 12 11 10; do
    for candidate in "python3.$version" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3."$version".*/bin/python; do
      if "$candidate" -c 'import ensurepip, venv' 2>/dev/null; then
        echo "$candidate"
        return
      fi
    done
  done
  echo python3
}
python=${PYTHON:-$(newest_python)}

if ! "$folder/bin/python" -c 'import jax' 2>/dev/null; then
  rm -rf "${folder:?}"/*
  "$python" -m venv "$folder" # Debian: the package python3-venv
fi
# jax.export writes with flatbuffers; python/tests needs it and pytest.
if ! "$folder/bin/python" -c 'import flatbuffers, jax, pytest' 2>/dev/null; then
  echo "JAX: installing jax ${JAX_VERSION:-(the newest)} for $("$folder/bin/python" --version) into $folder"
  timeout 600 "$folder/bin/pip" install --quiet --disable-pip-version-check \
    "jax${JAX_VERSION:+==$JAX_VERSION}" flatbuffers "pytest<9" </dev/null
fi

PYTHON=$python scripts/build_wheel.sh "$build" build-wheel
"$folder/bin/pip" uninstall --quiet --yes jax-xylem 2>/dev/null || true # the name until version 0.1
"$folder/bin/pip" install --quiet --disable-pip-version-check --no-deps --force-reinstall \
  build-wheel/xylem-*.whl

for platform in xylem cpu; do
  JAX_PLATFORMS=$platform "$folder/bin/python" -W ignore examples/jax/train_digits.py \
    --sheet "$folder/digits_$platform.svg" --json "$folder/$platform.json"
done
"$folder/bin/python" - "$folder" <<'END'
import json, sys
xylem, cpu = (json.load(open(f"{sys.argv[1]}/{name}.json")) for name in ("xylem", "cpu"))
print(f"{'':16}{'Xylem':>10}{'XLA:CPU':>10}")
print(f"{'loss':16}{xylem['loss']:>10.4f}{cpu['loss']:>10.4f}")
print(f"{'accuracy':16}{100 * xylem['accuracy']:>9.1f}%{100 * cpu['accuracy']:>9.1f}%")
print(f"{'images a second':16}{xylem['images_per_second']:>10.0f}{cpu['images_per_second']:>10.0f}")
END
echo "sheet: file://$folder/digits_xylem.svg (open it in a browser)"
