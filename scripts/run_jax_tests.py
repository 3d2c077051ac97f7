#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs JAX's own tests on Xylem, file by file, beside the same on JAX's "cpu" platform.

    scripts/run_jax_tests.py JAX_CHECKOUT --python VENV/bin/python [--files lax_test random_test ...]

The checkout is one of github.com/jax-ml/jax at the tag of the installed jax; the Python has jax, this
package, and pytest<9, absl-py, hypothesis, mpmath, cloudpickle, filelock, flatbuffers, portpicker.
A file runs in a process of its own, which logs each case (jax_test_log.py); when a case ends the
process or takes too long, another process goes on behind it. Writes a table and, with --out,
results.json and the cases that pass on "cpu" only. What JAX skips or expects depends on the names
of platforms: cases that did not pass run again with jax_test_dut=cpu, which has the tests expect a
CPU. With --named-cpu Xylem takes the place of "cpu". With --brief, "cpu" runs only what did not pass on
Xylem: half the time, the same comparison.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

# Cases that show something on a CPU; files of other hardware and of Pallas are left out. Those that
# show most come first.
DEFAULT_FILES = """
lax_test lax_numpy_test lax_autodiff_test lax_control_flow_test linalg_test random_test
random_lax_test lax_scipy_test nn_test sparse_test export_test pmap_test shard_map_test pjit_test
api_test array_test python_callback_test debugging_primitives_test checkify_test ffi_test
lax_numpy_operators_test lax_numpy_reducers_test lax_numpy_indexing_test lax_numpy_einsum_test
lax_numpy_ufuncs_test lax_numpy_setops_test lax_numpy_vectorize_test lax_vmap_test lax_vmap_op_test
lax_scipy_sparse_test lax_scipy_special_functions_test lax_scipy_spectral_dac_test
scipy_fft_test scipy_interpolate_test scipy_ndimage_test scipy_optimize_test scipy_signal_test
scipy_spatial_test scipy_stats_test fft_test svd_test eigh_test qdwh_test lobpcg_test
polynomial_test image_test ode_test stax_test optimizers_test sparse_bcoo_bcsr_test sparsify_test
mutable_array_test state_test memories_test layout_test aot_test pickle_test multi_device_test
array_interoperability_test compilation_cache_test shape_poly_test batching_test ann_test
blocked_sampler_test cholesky_update_test control_deps_test core_test custom_api_test
custom_linear_solve_test custom_partitioning_test custom_partitioning_sharding_rule_test
custom_root_test debug_nans_test debug_info_test debugger_test device_test dtypes_test
error_check_test errors_test experimental_rnn_test export_back_compat_test
export_harnesses_multi_platform_test export_serialization_back_compat_test extend_test fused_test
generated_fun_test hijax_test jax_jit_test jax_numpy_error_test jaxpr_effects_test jet_test
key_reuse_test lax_numpy_hijax_test linalg_sharding_test metadata_test multibackend_test
name_stack_test profiler_session_test profiler_test ragged_collective_test random_impl_test
roofline_test scaled_dot_test scheduling_groups_test shard_alike_test stack_test stateful_rng_test
string_array_test transfer_guard_test tree_util_test unary_ops_accuracy_test x64_context_test
xla_bridge_test xla_metadata_test xla_transform_test async_collectives_test api_util_test
array_api_test array_extensibility_test buffer_callback_test cache_key_test clear_backends_test
colocated_python_test config_test garbage_collection_guard_test heap_profiler_test
jax_to_ir_test jaxpr_util_test logging_test lru_cache_test mesh_utils_test monitoring_test
pretty_printer_test source_info_test traceback_test typing_test util_test xla_interpreter_test
""".split()

ORDER = ("passed", "failed", "skipped", "crashed", "timeout")


class Runner:

  def __init__(self, args):
    self.args = args
    self.checkout = pathlib.Path(args.checkout).resolve()

  def environment(self, platform, as_cpu):
    environment = dict(os.environ)
    environment.update(
        JAX_PLATFORMS=platform, JAX_NUM_GENERATED_CASES=str(self.args.cases),
        JAX_ENABLE_CHECKS="0", PYTHONDONTWRITEBYTECODE="1", XYLEM_NUM_DEVICES=str(self.args.devices),
        XYLEM_TEST_STRIDE=str(self.args.stride), XYLEM_TEST_OFFSET=str(self.args.offset),
        PYTHONPATH=os.pathsep.join(filter(None, [
            str(pathlib.Path(__file__).resolve().parent), os.environ.get("PYTHONPATH")])))
    environment.pop("XYLEM_PLATFORM_NAME", None)
    if platform == "xylem" and self.args.named_cpu:
      environment.update(JAX_PLATFORMS="cpu", XYLEM_PLATFORM_NAME="cpu")
    elif platform == "xylem" and as_cpu:
      environment.update(JAX_PLATFORMS="xylem,cpu", JAX_TEST_DUT="cpu")
    environment["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={self.args.devices}"
    return environment

  def run_rest(self, platform, name, folder, results, errors, only, as_cpu):
    """One process, for the cases that have no result. True if there may be more to run."""
    log, done = folder / "log", folder / "done"
    log.write_text("")
    done.write_text("\n".join(results))
    environment = self.environment(platform, as_cpu)
    environment.update(XYLEM_TEST_LOG=str(log), XYLEM_TEST_DONE=str(done))
    if only is not None:
      (folder / "only").write_text("\n".join(only))
      environment["XYLEM_TEST_ONLY"] = str(folder / "only")
    command = [self.args.python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p",
               "jax_test_log", "-W", "ignore", "--no-header", "--tb=line", f"tests/{name}.py"]
    if self.args.match:
      command += ["-k", self.args.match]
    with open(folder / "output", "w") as output:
      process = subprocess.Popen(
          command, cwd=self.checkout, env=environment, stdin=subprocess.DEVNULL, stdout=output,
          stderr=subprocess.STDOUT, start_new_session=True)
      reason = self.wait(process, log)
    running = None
    for line in log.read_text().splitlines():
      result, case, *message = json.loads(line)
      if result == "begin":
        running = case
      elif result != "collected":
        results[case] = result
        running = None if running == case else running
        if message[0]:
          errors[case] = message[0]
    output = (folder / "output").read_text(errors="replace")
    if running is not None and (reason or process.returncode < 0 or process.returncode > 5):
      results[running] = reason or "crashed"
      errors[running] = f"exit {process.returncode}: ...{output[-1500:]}"
      return True
    if not results and process.returncode not in (0, 5):
      results[f"tests/{name}.py"] = reason or "failed"
      errors[f"tests/{name}.py"] = output[-1500:]
    return False

  def wait(self, process, log):
    """None when the process ends by itself, "timeout" after a case took too long."""
    size, since = 0, time.monotonic()
    while True:
      try:
        process.wait(1)
        return None
      except subprocess.TimeoutExpired:
        pass
      if log.stat().st_size != size:
        size, since = log.stat().st_size, time.monotonic()
      if time.monotonic() - since > self.args.timeout:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return "timeout"

  def run_file(self, platform, name, only=None, as_cpu=False):
    results, errors = {}, {}
    if only is not None and not only:
      return results, errors
    with tempfile.TemporaryDirectory() as folder:
      while self.run_rest(platform, name, pathlib.Path(folder), results, errors, only, as_cpu):
        pass
    if platform == "xylem" and not as_cpu and not self.args.named_cpu:
      rest = [case for case, result in results.items() if result in ("failed", "skipped")]
      again, messages = self.run_file(platform, name, rest, as_cpu=True)
      for case, result in again.items():
        if result == "passed" or results.get(case) == "skipped":
          results[case] = result
          errors.pop(case, None)
          if case in messages:
            errors[case] = messages[case]
    return results, errors

  def run_platforms(self, name):
    """By platform the results and the errors."""
    made = {}
    if not self.args.brief:
      return {platform: self.run_file(platform, name) for platform in self.args.platforms}
    made["xylem"] = self.run_file("xylem", name)
    here = made["xylem"][0]
    results, errors = self.run_file(
        "cpu", name, [case for case, result in here.items() if result != "passed"])
    made["cpu"] = ({**here, **results}, errors)
    return made


def count(results):
  return {kind: sum(1 for value in results.values() if value == kind) for kind in ORDER}


def worse_than_cpu(everything):
  """Cases that pass on "cpu" (of which there may be none) and not here."""
  here = everything.get("xylem", {})
  if "cpu" in everything:
    return [case for case, result in everything["cpu"].items()
            if result == "passed" and here.get(case) != "passed"]
  return [case for case, result in here.items() if result not in ("passed", "skipped")]


def write_results(out, everything):
  folder = pathlib.Path(out)
  folder.mkdir(parents=True, exist_ok=True)
  here, errors = everything.get("xylem", {}), everything.get("xylem errors", {})
  (folder / "results.json").write_text(json.dumps(everything, indent=1))
  (folder / "regressions.txt").write_text("".join(
      f"{case}\t{here.get(case)}\t{errors.get(case, '')!r}\n"
      for case in worse_than_cpu(everything)))


def main():
  parser = argparse.ArgumentParser(description=__doc__,
                                   formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("checkout")
  parser.add_argument("--python", default=sys.executable)
  parser.add_argument("--files", nargs="*", default=DEFAULT_FILES, help="names without .py")
  parser.add_argument("--platforms", nargs="*", default=["cpu", "xylem"])
  parser.add_argument("--brief", action="store_true",
                      help="on cpu only what did not pass on xylem")
  parser.add_argument("--named-cpu", action="store_true",
                      help='Xylem answers to the name "cpu", and no case runs twice')
  parser.add_argument("--cases", type=int, default=10, help="JAX_NUM_GENERATED_CASES")
  parser.add_argument("--devices", type=int, default=8)
  parser.add_argument("--timeout", type=int, default=300, help="seconds of a case")
  parser.add_argument("--stride", type=int, default=1, help="of so many cases one")
  parser.add_argument("--offset", type=int, default=0,
                      help="of a stride's cases the one at this place, from 0")
  parser.add_argument("--match", default="", help="pytest's -k: only such cases")
  parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) // 2))
  parser.add_argument("--out", help="a folder for results.json and regressions.txt")
  args = parser.parse_args()
  if args.brief:
    args.platforms = ["cpu", "xylem"]
  runner = Runner(args)
  everything = {}
  with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
    futures = {name: pool.submit(runner.run_platforms, name) for name in args.files}
    print("| file | " + " | ".join(f"{platform}: {' / '.join(ORDER)}"
                                   for platform in args.platforms) + " |", flush=True)
    print("|---" * (1 + len(args.platforms)) + "|")
    for name in args.files:
      made, cells = futures[name].result(), []
      for platform in args.platforms:
        results, errors = made[platform]
        everything.setdefault(platform, {}).update(results)
        everything.setdefault(platform + " errors", {}).update(errors)
        cells.append(" / ".join(str(number) for number in count(results).values()))
      print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
      if args.out:
        write_results(args.out, everything)
  if not {"cpu", "xylem"} <= set(args.platforms):
    return 0
  worse = worse_than_cpu(everything)
  skipped = sum(1 for case in worse if everything["xylem"].get(case) == "skipped")
  passed = sum(1 for result in everything["cpu"].values() if result == "passed")
  print(f"\n{passed - len(worse)} of {passed} cases that pass on cpu pass on xylem: "
        f"{100.0 * (passed - len(worse)) / max(1, passed):.2f} % ({skipped} are skipped there)")
  return 1 if worse else 0


if __name__ == "__main__":
  sys.exit(main())
