# SPDX-License-Identifier: Apache-2.0
"""The command: this process becomes it, so that signals, exit codes and streams are its own."""

import os
import sys

from xylem import command_path


def main():
  path = command_path()
  try:
    os.execv(path, ["xylem", *sys.argv[1:]])
  except OSError as error:
    sys.exit(f"xylem: {path}: {error.strerror}")


if __name__ == "__main__":
  main()
