#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the smoke suite of the JAX plugin with several versions of JAX, as "xylem" and as "cpu".

    scripts/check_jax_versions.py --library build/libxylem_pjrt.so            # the default versions
    scripts/check_jax_versions.py --wheel build-jax/wheel/*.whl 0.8.3 0.12
    scripts/check_jax_versions.py --library ... --installed-only              # installs nothing

Each version gets a virtual environment in --folder, made by the newest Python at hand that takes it
(python3.N on the PATH, and pyenv's); "0.11" means the newest of 0.11. A wheel is installed there; a
library is used with the package of this tree. Prints a table for docs/jax.md, and the names of
tests that failed. Exit 1 if one did.
"""

import argparse
import glob
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

VERSIONS = ("0.6.2", "0.7.2", "0.8.3", "0.9.2", "0.10.2", "0.11", "0.12")
SOURCE = pathlib.Path(__file__).resolve().parent.parent
SUITE = SOURCE / "python" / "tests" / "test_smoke.py"
ALSO = ("pytest<9", "flatbuffers")
ASK = """
import json, sys, jax, jaxlib, numpy, pytest
print(json.dumps({"python": sys.version.split()[0], "jax": jax.__version__,
                  "jaxlib": jaxlib.__version__, "numpy": numpy.__version__}))
"""


def pythons():
  """Interpreters by falling version; each version once."""
  pyenv = pathlib.Path(os.environ.get("PYENV_ROOT") or pathlib.Path.home() / ".pyenv")
  candidates = [path for folder in os.environ.get("PATH", "").split(os.pathsep) if folder
                for path in glob.glob(os.path.join(folder, "python3.[0-9]*"))]
  candidates += [str(path) for path in pyenv.glob("versions/*/bin/python")]
  found = {}
  for path in candidates + [sys.executable]:
    ask = "import sys; print(*sys.version_info[:2])"
    run = subprocess.run([path, "-c", ask], capture_output=True, text=True, check=False)
    if run.returncode == 0 and len(run.stdout.split()) == 2:
      found.setdefault(tuple(map(int, run.stdout.split())), path)
  return [found[version] for version in sorted(found, reverse=True) if version >= (3, 10)]


def install(folder, version):
  """A virtual environment with that JAX; None if no Python at hand takes it."""
  environment = folder / f"jax-{version}"
  if facts_of(environment):
    return environment
  wanted = f"jax=={version}" if version.count(".") > 1 else f"jax=={version}.*"
  for python in pythons():
    subprocess.run([python, "-m", "venv", "--clear", str(environment)], check=True)
    run = subprocess.run([str(environment / "bin" / "pip"), "install", "--quiet",
                          "--disable-pip-version-check", wanted, *ALSO],
                         stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if run.returncode == 0:
      return environment
    reason = run.stderr.strip().splitlines()[-1:]
    print(f"{wanted} with {python}: {' '.join(reason)}", file=sys.stderr)
  return None


def facts_of(environment):
  """Versions in a virtual environment; None if it has no JAX or no pytest."""
  python = environment / "bin" / "python"
  if not python.exists():
    return None
  run = subprocess.run([str(python), "-c", ASK], capture_output=True, text=True, check=False)
  return json.loads(run.stdout) if run.returncode == 0 else None


def write_entry_point(folder):
  """What pip leaves of an installed package, so that JAX finds the one of this tree."""
  information = pathlib.Path(folder) / "jax_xylem-0.dist-info"
  information.mkdir()
  (information / "METADATA").write_text("Metadata-Version: 2.1\nName: jax-xylem\nVersion: 0\n")
  (information / "entry_points.txt").write_text("[jax_plugins]\nxylem = jax_xylem\n")


def run_suite(environment, platform, library, timeout, only):
  """Results by name of the test: passed, failed or skipped; and what was printed."""
  variables = {name: value for name, value in os.environ.items()
               if name not in ("JAX_PLATFORMS", "XYLEM_PLATFORM_NAME", "PYTHONPATH")}
  with tempfile.TemporaryDirectory() as folder:
    variables.update(JAX_PLATFORMS=platform, XYLEM_NUM_DEVICES="4", PYTHONDONTWRITEBYTECODE="1",
                     XYLEM_PLATFORM_NAME=platform)
    if library:
      write_entry_point(folder)
      variables.update(XYLEM_PJRT_LIBRARY=str(library),
                       PYTHONPATH=os.pathsep.join([str(SOURCE / "python"), folder]))
    report = pathlib.Path(folder) / "report.xml"
    command = [str(environment / "bin" / "python"), "-m", "pytest", "-q", "-p", "no:cacheprovider",
               "-W", "ignore", "--tb=short", f"--junitxml={report}", str(SUITE)]
    if only:
      command += ["-k", only]
    try:
      run = subprocess.run(command, env=variables, stdin=subprocess.DEVNULL, capture_output=True,
                           text=True, check=False, timeout=timeout)
      output = run.stdout + run.stderr
    except subprocess.TimeoutExpired:
      return {"the suite": "failed"}, f"it took more than {timeout} seconds"
    if not report.exists():
      return {"the suite": "failed"}, output
    results = {}
    for case in xml.etree.ElementTree.parse(report).iter("testcase"):
      kinds = {child.tag for child in case}
      results[case.get("name")] = (
          "failed" if kinds & {"failure", "error"} else
          "skipped" if "skipped" in kinds else "passed")
    return results, output


def cell(results):
  values = list(results.values())
  text = f"{values.count('passed')} of {len(values) - values.count('skipped')}"
  skipped = values.count("skipped")
  return text + (f" ({skipped} skipped)" if skipped else "")


def main():
  parser = argparse.ArgumentParser(description=__doc__,
                                   formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("versions", nargs="*", default=list(VERSIONS))
  what = parser.add_mutually_exclusive_group(required=True)
  what.add_argument("--wheel", type=pathlib.Path)
  what.add_argument("--library", type=pathlib.Path)
  parser.add_argument("--folder", type=pathlib.Path, default=SOURCE / "build-jax-versions")
  parser.add_argument("--installed-only", action="store_true",
                      help="the virtual environments that --folder has, whatever their names")
  parser.add_argument("--platforms", nargs="*", default=["xylem", "cpu"])
  parser.add_argument("--timeout", type=int, default=900, help="seconds of a run of the suite")
  parser.add_argument("--match", default="", help="pytest's -k: only such tests")
  args = parser.parse_args()

  if args.installed_only:
    environments = sorted(path.parent.parent for path in args.folder.glob("*/bin/python"))
  else:
    args.folder.mkdir(parents=True, exist_ok=True)
    environments = [install(args.folder.resolve(), version) for version in args.versions]
  known = [(environment, facts_of(environment)) for environment in environments if environment]
  known = [(environment, facts) for environment, facts in known if facts]
  if not known:
    print(f"skipped: {args.folder} has no virtual environment with jax and pytest "
          "(scripts/check_jax_versions.py installs them)")
    return 0
  known.sort(key=lambda item: [int(part) for part in item[1]["jax"].split(".") if part.isdigit()])

  print("| JAX | Python, NumPy | " + " | ".join(f'as "{name}"' for name in args.platforms) + " |")
  print("|---" * (2 + len(args.platforms)) + "|", flush=True)
  failures = []
  for environment, facts in known:
    if args.wheel:
      subprocess.run([str(environment / "bin" / "pip"), "install", "--quiet", "--no-deps",
                      "--disable-pip-version-check", "--force-reinstall", str(args.wheel)],
                     check=True)
    cells = []
    for platform in args.platforms:
      library = args.library.resolve() if args.library else None
      results, output = run_suite(environment, platform, library, args.timeout, args.match)
      cells.append(cell(results))
      failed = [name for name, result in results.items() if result == "failed"]
      if failed or "passed" not in results.values():
        failures.append(f"jax {facts['jax']} as {platform}: {', '.join(failed) or 'no test ran'}\n"
                        f"{output[-3000:]}")
    print(f"| {facts['jax']} | {facts['python']}, {facts['numpy']} | " + " | ".join(cells) + " |",
          flush=True)
  print("\n".join(failures))
  return 1 if failures else 0


if __name__ == "__main__":
  sys.exit(main())
