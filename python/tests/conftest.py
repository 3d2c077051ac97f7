# SPDX-License-Identifier: Apache-2.0
"""The tests run on eight devices of the platform, from the source tree or an installed wheel."""

import os

os.environ.setdefault("JAX_PLATFORMS", "xylem")
os.environ.setdefault("XYLEM_NUM_DEVICES", "8")
