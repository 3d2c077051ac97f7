# SPDX-License-Identifier: Apache-2.0
"""Valid programs with one thing damaged."""
