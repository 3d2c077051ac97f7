#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# install_xla.sh FOLDER: makes a Python environment there with XLA itself (jaxlib), against which the
# differential test compares. Does nothing if it is there; fails within five minutes if it cannot be had.
set -euo pipefail
folder=${1:?folder}
version=0.10.2 # what docs/differences.md was written for

has_xla() { "$folder/bin/python" -c 'import jax, jaxlib._hlo' 2>/dev/null; }

if has_xla; then
  echo "XLA: present in $folder"
  exit 0
fi
echo "XLA: installing jax $version into $folder"
rm -rf "$folder"
if ! python3 -m venv "$folder"; then
  echo "XLA: python3 with venv is needed (the package python3-venv)" >&2
  rm -rf "$folder"
  exit 1
fi
timeout 300 "$folder/bin/pip" install --quiet --disable-pip-version-check --retries 1 --timeout 20 \
  "jax==$version" "jaxlib==$version" </dev/null
has_xla
