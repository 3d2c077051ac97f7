#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the wheel jax-xylem from the package in python/ and the plugin in a build folder.

    scripts/build_wheel.py --library build/libxylem_pjrt.so --out build/wheel

The wheel fits every CPython from 3.10 on. It has one library, the plugin, which needs nothing but the
C library; the wheel's tag names the oldest glibc that has what the plugin calls.
"""

import argparse
import base64
import hashlib
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

# All that the plugin may need.
SYSTEM = re.compile(r"^(ld-linux.*|libc|libm)\.so\.\d+$")


def run(*command):
  return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def check(library):
  """Ends the program if the plugin needs what the system does not promise."""
  needed = re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "--dynamic", "--wide", str(library)))
  others = [name for name in needed if not SYSTEM.match(name)]
  if others:
    sys.exit(f"{library} needs {', '.join(others)}: build it without sanitizers")


def glibc(library):
  """The version of glibc whose symbols the plugin needs."""
  versions = re.findall(r"GLIBC_(\d+)\.(\d+)", run("readelf", "--version-info", "--wide", str(library)))
  return max((int(major), int(minor)) for major, minor in versions)


def metadata(project):
  """Name, version and so on, of pyproject.toml; Python 3.10 has no parser of it."""
  text = (project / "pyproject.toml").read_text()
  value = lambda key: re.search(rf'^{key} = "(.*)"$', text, re.M).group(1)
  dependencies = re.search(r"^dependencies = \[(.*)\]$", text, re.M).group(1)
  entry = re.search(r'^\[project.entry-points."(\w+)"\]\n(\w+) = "(\w+)"$', text, re.M)
  return {
      "name": value("name"), "version": value("version"), "summary": value("description"),
      "requires_python": value("requires-python"),
      "requires": [item.strip().strip('"') for item in dependencies.split(",") if item.strip()],
      "entry_points": f"[{entry.group(1)}]\n{entry.group(2)} = {entry.group(3)}\n"}


def write_wheel(project, content, libc, out):
  facts = metadata(project)
  tag = f"py3-none-manylinux_{libc[0]}_{libc[1]}_{platform.machine()}"
  base = f"{facts['name'].replace('-', '_')}-{facts['version']}"
  files = {}
  for path in sorted(content.rglob("*")):
    if path.is_file():
      files[str(path.relative_to(content))] = path.read_bytes()
  requires = "".join(f"Requires-Dist: {item}\n" for item in facts["requires"])
  files[f"{base}.dist-info/METADATA"] = (
      f"Metadata-Version: 2.1\nName: {facts['name']}\nVersion: {facts['version']}\n"
      f"Summary: {facts['summary']}\nLicense: Apache-2.0\n"
      f"Requires-Python: {facts['requires_python']}\n{requires}").encode()
  files[f"{base}.dist-info/WHEEL"] = (
      f"Wheel-Version: 1.0\nGenerator: build_wheel\nRoot-Is-Purelib: false\nTag: {tag}\n").encode()
  files[f"{base}.dist-info/entry_points.txt"] = facts["entry_points"].encode()
  record = f"{base}.dist-info/RECORD"
  lines = []
  for name, data in files.items():
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    lines.append(f"{name},sha256={digest},{len(data)}")
  files[record] = ("\n".join([*lines, f"{record},,"]) + "\n").encode()
  out.mkdir(parents=True, exist_ok=True)
  wheel = out / f"{base}-{tag}.whl"
  with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
    for name, data in files.items():
      info = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))
      info.compress_type = zipfile.ZIP_DEFLATED
      info.external_attr = (0o755 if ".so" in name else 0o644) << 16
      archive.writestr(info, data)
  return wheel


def main():
  parser = argparse.ArgumentParser(description=__doc__,
                                   formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("--library", required=True, type=pathlib.Path)
  parser.add_argument("--out", required=True, type=pathlib.Path)
  args = parser.parse_args()
  check(args.library)
  project = pathlib.Path(__file__).resolve().parent.parent / "python"
  with tempfile.TemporaryDirectory() as folder:
    content = pathlib.Path(folder)
    package = content / "jax_xylem"
    shutil.copytree(project / "jax_xylem", package, ignore=shutil.ignore_patterns("__pycache__"))
    plugin = package / "libxylem_pjrt.so"
    shutil.copy(args.library, plugin)
    run("strip", "--strip-unneeded", str(plugin))
    wheel = write_wheel(project, content, glibc(plugin), args.out)
    size = plugin.stat().st_size
  print(f"{wheel} ({wheel.stat().st_size / 1e6:.1f} MB; the plugin: {size / 1e6:.1f} MB)")


if __name__ == "__main__":
  main()
