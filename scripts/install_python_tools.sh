#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# install_python_tools.sh FOLDER: makes a virtual environment in FOLDER with what the Python package is
# built and tested with (PyPI). Does nothing where it is complete; leaves nothing where it fails.
set -euo pipefail
folder=$1
if "$folder/bin/python" -c 'import ml_dtypes, nanobind, numpy, pytest' 2>/dev/null; then
  exit 0
fi
remove() { rm -rf "$folder"; }
trap remove ERR
remove
python3 -m venv "$folder" # Debian: the package python3-venv
timeout 300 "$folder/bin/pip" install --quiet --disable-pip-version-check nanobind numpy ml_dtypes pytest </dev/null
