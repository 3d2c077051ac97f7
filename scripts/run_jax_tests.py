#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs JAX's own tests on Xylem, file by file, beside the same on JAX's "cpu" platform.

    scripts/run_jax_tests.py JAX_CHECKOUT --python VENV/bin/python [--files lax_test random_test ...]

The checkout is one of github.com/jax-ml/jax at the tag of the installed jax; the Python has jax, this
package, and pytest<9, absl-py, hypothesis, mpmath, cloudpickle, filelock, flatbuffers, portpicker.
Each file is divided into shards of cases; a shard runs in a process of its own, with a time-out, and
what a crash or a time-out left undone is run again one case at a time. Writes a table and, with
--out, results.json and the names of the cases that pass on "cpu" only.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

# Cases that show something on a CPU; files of other hardware and of Pallas are left out.
DEFAULT_FILES = """
api_test array_test array_interoperability_test batching_test checkify_test
compilation_cache_test control_deps_test core_test custom_api_test custom_linear_solve_test
custom_root_test debug_nans_test debugging_primitives_test dtypes_test errors_test export_test
ffi_test fft_test generated_fun_test image_test jax_jit_test jaxpr_effects_test jet_test
lax_autodiff_test lax_control_flow_test lax_numpy_einsum_test lax_numpy_indexing_test
lax_numpy_operators_test lax_numpy_reducers_test lax_numpy_setops_test lax_numpy_test
lax_numpy_ufuncs_test lax_numpy_vectorize_test lax_scipy_sparse_test
lax_scipy_special_functions_test lax_scipy_test lax_test lax_vmap_op_test lax_vmap_test layout_test
linalg_test lobpcg_test memories_test multi_device_test mutable_array_test nn_test ode_test
optimizers_test pickle_test pjit_test pmap_test polynomial_test python_callback_test qdwh_test
random_lax_test random_test scipy_fft_test scipy_interpolate_test scipy_ndimage_test
scipy_optimize_test scipy_signal_test scipy_spatial_test scipy_stats_test shape_poly_test
shard_map_test sparse_bcoo_bcsr_test sparse_test sparsify_test stack_test state_test stax_test
svd_test eigh_test tree_util_test unary_ops_accuracy_test x64_context_test xla_bridge_test
""".split()

ORDER = ("passed", "failed", "skipped", "crashed", "timeout")


class Runner:

  def __init__(self, args):
    self.args = args
    self.checkout = pathlib.Path(args.checkout).resolve()

  def environment(self, platform):
    environment = dict(os.environ)
    environment.update(
        JAX_PLATFORMS=platform, JAX_NUM_GENERATED_CASES=str(self.args.cases),
        JAX_ENABLE_CHECKS="0", PYTHONDONTWRITEBYTECODE="1", XYLEM_NUM_DEVICES=str(self.args.devices))
    environment["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={self.args.devices}"
    return environment

  def pytest(self, platform, arguments, timeout):
    command = [self.args.python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "ignore",
               "--no-header", *arguments]
    try:
      return subprocess.run(
          command, cwd=self.checkout, env=self.environment(platform), timeout=timeout,
          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
          errors="replace")
    except subprocess.TimeoutExpired:
      return None

  def collect(self, platform, name):
    done = self.pytest(platform, ["--collect-only", f"tests/{name}.py"], self.args.timeout)
    if done is None:
      return None
    return [line for line in done.stdout.splitlines() if line.startswith("tests/") and "::" in line]

  def run_cases(self, platform, cases, timeout):
    """Results by case; those that a crash or time-out prevented are missing."""
    with tempfile.TemporaryDirectory() as folder:
      report = os.path.join(folder, "report.xml")
      done = self.pytest(platform, [f"--junitxml={report}", "--tb=line", *cases], timeout)
      results, messages = {}, {}
      if os.path.exists(report):
        for case in xml.etree.ElementTree.parse(report).iter("testcase"):
          kind = "passed"
          for child in case:
            if child.tag in ("failure", "error"):
              kind = "failed"
              messages[case.get("name")] = (child.get("message") or "")[:400]
            elif child.tag == "skipped":
              kind = "skipped"
          results[case.get("name")] = kind
      by_case = {case: results[case.rsplit("::", 1)[1]] for case in cases
                 if case.rsplit("::", 1)[1] in results}
      errors = {case: messages[case.rsplit("::", 1)[1]] for case in cases
                if case.rsplit("::", 1)[1] in messages}
      reason = "timeout" if done is None else "crashed"
      return by_case, errors, reason

  def run_shard(self, platform, cases):
    results, errors, reason = self.run_cases(platform, cases, self.args.timeout)
    missing = [case for case in cases if case not in results]
    if len(cases) == 1:
      results.update({case: reason for case in missing})
      return results, errors
    # Halves find the case that crashes in few runs.
    if missing:
      middle = (len(missing) + 1) // 2
      for half in (missing[:middle], missing[middle:]):
        if half:
          more, messages = self.run_shard(platform, half)
          results.update(more)
          errors.update(messages)
    return results, errors

  def run_file(self, platform, name):
    cases = self.collect(platform, name)
    if cases is None:
      return {f"tests/{name}.py": "timeout"}, {}
    if self.args.match:
      cases = [case for case in cases if re.search(self.args.match, case)]
    if self.args.limit:
      cases = cases[:: max(1, len(cases) // self.args.limit)]
    results, errors = {}, {}
    for begin in range(0, len(cases), self.args.shard):
      more, messages = self.run_shard(platform, cases[begin:begin + self.args.shard])
      results.update(more)
      errors.update(messages)
    return results, errors


def count(results):
  return {kind: sum(1 for value in results.values() if value == kind) for kind in ORDER}


def write_results(out, everything):
  """The cases that pass on "cpu" (of which there may be none) and not here; also to files."""
  here = everything.get("xylem", {})
  errors = everything.get("xylem errors", {})
  if "cpu" in everything:
    worse = [case for case, result in everything["cpu"].items()
             if result == "passed" and here.get(case) != "passed"]
  else:
    worse = [case for case, result in here.items() if result not in ("passed", "skipped")]
  if out:
    folder = pathlib.Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "results.json").write_text(json.dumps(everything, indent=1))
    (folder / "regressions.txt").write_text("".join(
        f"{case}\t{here.get(case)}\t{errors.get(case, '')!r}\n" for case in worse))
  return worse


def main():
  parser = argparse.ArgumentParser(description=__doc__,
                                   formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("checkout")
  parser.add_argument("--python", default=sys.executable)
  parser.add_argument("--files", nargs="*", default=DEFAULT_FILES, help="names without .py")
  parser.add_argument("--platforms", nargs="*", default=["cpu", "xylem"])
  parser.add_argument("--cases", type=int, default=10, help="JAX_NUM_GENERATED_CASES")
  parser.add_argument("--devices", type=int, default=8)
  parser.add_argument("--shard", type=int, default=400, help="cases of a process")
  parser.add_argument("--timeout", type=int, default=1200, help="seconds of a shard")
  parser.add_argument("--limit", type=int, default=0, help="about so many cases of each file; 0: all")
  parser.add_argument("--match", default="", help="only cases whose name matches")
  parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) // 2))
  parser.add_argument("--out", help="a folder for results.json and regressions.txt")
  args = parser.parse_args()
  runner = Runner(args)
  everything = {}
  with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
    futures = {(name, platform): pool.submit(runner.run_file, platform, name)
               for name in args.files for platform in args.platforms}
    print("| file | " + " | ".join(f"{platform}: {' / '.join(ORDER)}"
                                   for platform in args.platforms) + " |", flush=True)
    print("|---" * (1 + len(args.platforms)) + "|")
    for name in args.files:
      cells = []
      for platform in args.platforms:
        results, errors = futures[name, platform].result()
        everything.setdefault(platform, {}).update(results)
        everything.setdefault(platform + " errors", {}).update(errors)
        cells.append(" / ".join(str(number) for number in count(results).values()))
      print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
      write_results(args.out, everything)
  worse = []
  if {"cpu", "xylem"} <= set(args.platforms):
    worse = write_results(args.out, everything)
    passed = sum(1 for result in everything["cpu"].values() if result == "passed")
    print(f"\n{passed - len(worse)} of {passed} cases that pass on cpu pass on xylem: "
          f"{100.0 * (passed - len(worse)) / max(1, passed):.2f} %")
  return 1 if worse else 0


if __name__ == "__main__":
  sys.exit(main())
