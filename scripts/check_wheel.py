#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what a wheel of Xylem holds: metadata, entry points, licenses, libraries, versions.

    scripts/check_wheel.py build-wheel/xylem-*.whl
"""

import email
import pathlib
import re
import sys
import zipfile

TREE = pathlib.Path(__file__).resolve().parent.parent
# Shared libraries that the wheel brings along, by the name of the row of NOTICE.
BROUGHT = {"libzip": "libzip", "libz": "zlib", "libbz2": "bzip2", "libcrypto": "OpenSSL (libcrypto)",
           "liblzma": "XZ Utils (liblzma)", "libzstd": "Zstandard"}


def notice_rows(text):
  """The table of NOTICE: name of the library -> (license, file of its text)."""
  lines = text.split("\n")
  start = next(i for i, line in enumerate(lines) if line.startswith("library "))
  rows = {}
  for line in lines[start + 1:]:
    if not line.strip():
      break
    name, license, file = re.split(r"  +", line)[:3]
    rows[name] = (license, file)
  return rows


def problems(wheel):
  archive = zipfile.ZipFile(wheel)
  names = archive.namelist()
  info = next(name.split("/")[0] for name in names if name.endswith(".dist-info/METADATA"))
  read = lambda name: archive.read(name).decode()
  metadata = email.message_from_string(read(f"{info}/METADATA"))
  version = re.search(r"project\(Xylem VERSION ([0-9.]+)", (TREE / "CMakeLists.txt").read_text()).group(1)
  if metadata["Version"] != version:
    yield f"the version is {metadata['Version']}, not {version}"
  for field in ("Summary", "Author", "License-Expression", "Requires-Python", "Keywords", "Classifier",
                "License-File", "Description-Content-Type"):
    if not metadata[field]:
      yield f"METADATA has no {field}"
  if len(metadata.get_payload()) < 1000:
    yield "METADATA has no description"
  tags = re.findall(r"^Tag: (.*)$", read(f"{info}/WHEEL"), re.M)
  if not tags or any(not re.fullmatch(r"py3-none-manylinux\w+", tag) for tag in tags):
    yield f"the tags are {tags}"
  entries = read(f"{info}/entry_points.txt")
  for entry in ("[console_scripts]", "xylem = xylem.__main__:main", "[jax_plugins]", "xylem = jax_xylem"):
    if entry not in entries.replace("=", " = ").replace("  ", " "):
      yield f"entry_points.txt lacks {entry}"
  for module in ("xylem", "jax_xylem"):
    own = re.search(r'^__version__ = "(.*)"$', read(f"{module}/__init__.py"), re.M).group(1)
    if own != version:
      yield f"{module}.__version__ is {own}, not {version}"
  for file in ("xylem/bin/xylem", "xylem/lib/libxylem_pjrt.so", "xylem/lib/libxylem_native.so"):
    mode = archive.getinfo(file).external_attr >> 16 if file in names else 0
    if not mode & 0o111:
      yield f"{file} is missing or cannot be run"
  for file in ("xylem/__init__.pyi", "xylem/py.typed", "xylem/_operations.py", "xylem/lib/libxylem_runtime.a"):
    if file not in names:
      yield f"{file} is missing"
  machine = "aarch64" if "aarch64" in pathlib.Path(wheel).name else "x86_64"
  # Where no Python has its headers there is no extension, and the wheel has command and plugin alone.
  for name in names:
    if re.fullmatch(r"xylem/_xylem.*\.so", name) and not re.fullmatch(
        rf"xylem/_xylem\.(abi3|cpython-3\d+t?-{machine}-linux-gnu)\.so", name):
      yield f"{name} is for no version of Python on {machine}"
  # Each library has a row in NOTICE, and each text that NOTICE names is inside.
  rows = notice_rows(read(f"{info}/licenses/NOTICE"))
  for license, file in rows.values():
    if f"{info}/licenses/{file}" not in names:
      yield f"the text {file} is missing"
    if "GCC-exception" not in license and license not in metadata["License-Expression"]:
      yield f"License-Expression lacks {license}"
  for name in names:
    brought = re.fullmatch(r"xylem\.libs/(lib[a-z0-9]+?)-[0-9a-f]{8}\.so.*", name)
    if name.startswith("xylem.libs/lib") and (brought is None or BROUGHT.get(brought.group(1)) not in rows):
      yield f"NOTICE does not name {name}"
  for name in names:
    if re.search(r"__pycache__|\.pyc$|\.cmake$|CMakeLists", name):
      yield f"{name} does not belong there"


def main():
  if len(sys.argv) != 2:
    sys.exit(__doc__)
  found = list(problems(sys.argv[1]))
  for problem in found:
    print(f"{sys.argv[1]}: {problem}", file=sys.stderr)
  sys.exit(1 if found else 0)


if __name__ == "__main__":
  main()
