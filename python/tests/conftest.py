# SPDX-License-Identifier: Apache-2.0
"""The tests run on eight devices of the platform, from the source tree or an installed wheel.

With XYLEM_PLATFORM_NAME=cpu the platform is JAX's "cpu".
"""

import os

os.environ.setdefault("JAX_PLATFORMS", os.environ.get("XYLEM_PLATFORM_NAME") or "xylem")
os.environ.setdefault("XYLEM_NUM_DEVICES", "8")
