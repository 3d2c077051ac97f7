# SPDX-License-Identifier: Apache-2.0
"""Programs: those of tests/programs, several devices, LAPACK, threads, signals, what a call costs."""

import importlib.util
import json
import os
import pathlib
import signal
import subprocess
import sys
import textwrap
import threading
import time
import timeit

import numpy as np
import pytest
import xylem

TREE = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = sorted((TREE / "tests" / "programs").iterdir())
F32 = np.float32


def drawn(folder):
  """The arguments that golden.json describes."""
  pytest.importorskip("ml_dtypes")
  spec = importlib.util.spec_from_file_location("xla_cpu", TREE / "bench" / "xla_cpu.py")
  draw = importlib.util.module_from_spec(spec)
  spec.loader.exec_module(draw)
  return [draw.draw(argument) for argument in draw.read_golden(folder)["args"]]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_reference_programs_run_without_copies(folder):
  arguments = drawn(folder)
  module = xylem.load(next(path for path in (folder / "program.mlir", folder / "program.hlo") if path.exists()))
  results, counts = module.compile().run_counted(*arguments)
  assert counts["copies"] == 0, counts
  golden = json.loads((folder / "golden.json").read_text())
  leaves = results if isinstance(results, tuple) else (results,)
  assert len(leaves) == len(golden["outputs"])
  for leaf, expected in zip(leaves, golden["outputs"]):
    assert leaf.shape == tuple(expected["shape"]) and leaf.dtype == np.dtype(expected["dtype"])
    assert all(leaf.ctypes.data != argument.ctypes.data for argument in arguments)


COMMAND = pathlib.Path(xylem.command_path())


@pytest.mark.skipif(not COMMAND.exists(), reason="skipped: the package has no command")
@pytest.mark.parametrize("name", ["softmax", "layernorm", "dispatch_scalar"])
def test_results_are_those_of_the_command(name, tmp_path):
  folder = TREE / "tests" / "programs" / name
  arguments = drawn(folder)
  np.savez(tmp_path / "in.npz", **{f"arg{i:02}": x for i, x in enumerate(arguments)})
  subprocess.run([COMMAND, "run", "--input", tmp_path / "in.npz", "--output", tmp_path / "out.npz",
                  folder / "program.hlo"], check=True, capture_output=True)
  results = xylem.load(folder / "program.hlo")(*arguments)
  with np.load(tmp_path / "out.npz") as expected:
    leaves = results if isinstance(results, tuple) else (results,)
    for i, leaf in enumerate(leaves):
      assert leaf.tobytes() == expected[f"out{i:02}"].tobytes()


@pytest.mark.skipif(not COMMAND.exists(), reason="skipped: the package has no command")
@pytest.mark.parametrize("bound", ["SSE4_2", "AVX2"])
def test_flags_bound_the_instructions(bound, tmp_path):
  folder = TREE / "tests" / "programs" / "softmax"
  np.savez(tmp_path / "in.npz", **{f"arg{i:02}": x for i, x in enumerate(drawn(folder))})
  environment = dict(os.environ, XLA_FLAGS=f"--xla_cpu_max_isa={bound}")
  subprocess.run([COMMAND, "run", "--input", tmp_path / "in.npz", "--output", tmp_path / "command.npz",
                  folder / "program.hlo"], check=True, capture_output=True, env=environment)
  subprocess.run([sys.executable, "-c", textwrap.dedent("""
      import sys
      import numpy as np
      import xylem
      program, arguments, result = sys.argv[1:]
      with np.load(arguments) as arrays:
        np.save(result, xylem.load(program)(*[arrays[name] for name in sorted(arrays)]))
      """), folder / "program.hlo", tmp_path / "in.npz", tmp_path / "package.npy"], check=True, env=environment)
  with np.load(tmp_path / "command.npz") as expected:
    assert np.load(tmp_path / "package.npy").tobytes() == expected["out00"].tobytes()


@pytest.mark.parametrize("backend", ["cpu", "interpreter"])
def test_backends(add, backend):
  run = add.compile(backend=backend, threads=1)
  assert run.backend == backend and run(np.ones(3, F32), np.ones(3, F32)).tolist() == [2, 2, 2]
  assert run.optimized.instruction_count >= 3
  with pytest.raises(xylem.InvalidArgument, match="unknown backend"):
    add.compile(backend="gpu")


def test_profile(add):
  rows = add.profile(np.ones(3, F32), np.ones(3, F32))
  assert rows and all(row["seconds"] >= 0 and row["runs"] >= 1 for row in rows)


@pytest.mark.skipif(not COMMAND.exists(), reason="skipped: the package has no command")
def test_diff(add):
  assert add.diff(np.ones(3, F32), np.ones(3, F32))["agree"] is True


def test_errors_of_runs():
  checks = xylem.loads("""HloModule m
    ENTRY e { x = f32[] parameter(0) one = f32[] constant(1)
    ROOT c = () custom-call(x, one), custom_call_target="check.expect_eq", custom_call_has_side_effect=true }""")
  assert checks(1) == ()
  with pytest.raises(xylem.XylemError, match="1 of 1 elements differ; the worst at .*: 2, expected 1"):
    checks(2)
  with pytest.raises(xylem.NotFound, match="nowhere"):
    xylem.loads('HloModule m\nENTRY e { ROOT c = f32[] custom-call(), custom_call_target="nowhere" }').compile()
  with pytest.raises(xylem.ResourceExhausted):
    xylem.loads("HloModule m\nENTRY e { x = f32[] parameter(0) ROOT y = f32[100,100] broadcast(x), dimensions={} }"
               ).compile(memory_limit=1000)(1)


def test_lapack():
  module = xylem.loads("""HloModule m
    ENTRY e { a = f32[3,3] parameter(0)
    ROOT l = (f32[3,3]{0,1}, s32[]) custom-call(a), custom_call_target="lapack_spotrf_ffi",
      api_version=API_VERSION_TYPED_FFI, backend_config={uplo = 76 : ui8},
      operand_layout_constraints={f32[3,3]{0,1}}, output_to_operand_aliasing={{0}: (0, {})} }""")
  a = np.array([[4, 2, 0], [2, 5, 1], [0, 1, 6]], F32)
  l, info = module(a)
  assert info == 0 and np.allclose(np.tril(l), np.linalg.cholesky(a), rtol=1e-6)


SUM = """HloModule m, replica_count=4
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
ENTRY e { x = f32[2] parameter(0) ROOT y = f32[2] all-reduce(x), replica_groups={}, to_apply=add }"""


@pytest.mark.parametrize("backend", ["cpu", "interpreter"])
def test_collectives_run_on_several_devices(backend):
  run = xylem.loads(SUM).compile(backend=backend)
  assert run.device_count == 4
  assert [y.tolist() for y in run(np.ones(2, F32))] == [[4, 4]] * 4
  assert [y.tolist() for y in run.run_on_devices([[np.full(2, d, F32)] for d in range(4)])] == [[6, 6]] * 4
  with pytest.raises(xylem.InvalidArgument, match="4 devices"):
    run.run_on_devices([[np.ones(2, F32)]])


def test_shardings_divide_full_arguments():
  module = xylem.loads("""HloModule m, num_partitions=2
    ENTRY e { x = f32[4,4] parameter(0), sharding={devices=[2,1]<=[2]}
    ROOT y = f32[4,4] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}, sharding={devices=[2,1]<=[2]} }""")
  x = np.arange(16, dtype=F32).reshape(4, 4)
  assert np.array_equal(module(x), x @ x) and np.array_equal(module(x + 1), (x + 1) @ (x + 1))


def test_threads_share_a_program(add):
  run, wrong = add.compile(), []

  def work(k):
    x = np.full(3, k, F32)
    for _ in range(300):
      if run(x, x).tolist() != [2 * k] * 3:
        wrong.append(k)

  threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
  for thread in threads:
    thread.start()
  for thread in threads:
    thread.join()
  assert not wrong


LOOP = """HloModule m
body { i = s32[] parameter(0) by = s32[] constant(2) ROOT n = s32[] add(i, by) }
condition { i = s32[] parameter(0) end = s32[] constant(%s) ROOT c = pred[] compare(i, end), direction=%s }
ENTRY e { z = s32[] parameter(0) ROOT w = s32[] while(z), condition=condition, body=body }"""


def test_others_run_python_meanwhile():
  """The interpreter's lock is free while a program runs."""
  run, ticks = xylem.loads(LOOP % (1_000_000, "LT")).compile(backend="interpreter"), []
  thread = threading.Thread(target=run, args=(0,))
  thread.start()
  while thread.is_alive():
    ticks.append(time.sleep(0.001))
  thread.join()
  assert len(ticks) > 3


@pytest.mark.parametrize("backend", ["cpu", "interpreter"])
def test_control_c_ends_a_run(backend):
  # The first loop never reaches an odd number.
  program = f"""
import os, signal, threading, numpy, xylem
run = xylem.loads({LOOP % (1, "NE")!r}).compile(backend={backend!r})
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
  run(0)
except KeyboardInterrupt:
  print("interrupted", run.backend)
print(xylem.loads({LOOP % (4, "NE")!r})(0))
"""
  done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120,
                        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
  assert done.stdout.split() == ["interrupted", backend, "4"], done.stderr


def test_forked_processes_run():
  if not hasattr(os, "fork"):
    pytest.skip("skipped: no fork")
  run = xylem.loads("HloModule m\nENTRY e { x = f32[512,512] parameter(0) ROOT y = f32[512,512] dot(x, x), "
                    "lhs_contracting_dims={1}, rhs_contracting_dims={0} }").compile(threads=2)
  x = np.eye(512, dtype=F32)
  assert np.array_equal(run(x), x)
  child = os.fork()
  if child == 0:
    os._exit(0 if np.array_equal(run(x), x) else 1)
  deadline = time.monotonic() + 60
  while time.monotonic() < deadline:
    done, status = os.waitpid(child, os.WNOHANG)
    if done:
      assert status == 0
      return
    time.sleep(0.01)
  os.kill(child, signal.SIGKILL)
  pytest.fail("the child hangs")


def seconds_of(call, number):
  """Of this thread's processor: other work of the machine does not count."""
  return timeit.timeit(call, number=number, timer=time.thread_time) / number


def test_a_call_costs_less_than_three_additions_of_numpy():
  run = xylem.load(TREE / "tests" / "programs" / "dispatch_scalar" / "program.hlo").compile()
  arguments = [np.zeros(leaf.dimensions, leaf.dtype) for leaf in run.module.parameter_shapes]
  # Measured in turns: the speed of the machine, which may change at any time, counts for both.
  ratios = [seconds_of(lambda: run(*arguments), 5000) / seconds_of(lambda: np.add(arguments[0], arguments[0]), 5000)
            for _ in range(15)]
  assert min(ratios) < 3, ratios


def test_the_import_takes_a_fifth_of_that_of_numpy():
  program = ("import time\nstart = time.process_time()\nimport xylem\nxylem.load\n"
             "own = time.process_time() - start\nimport sys\nassert 'numpy' not in sys.modules\n"
             "start = time.process_time()\nimport numpy\nprint(own / (time.process_time() - start))")
  runs = [subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                         env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}) for _ in range(5)]
  assert not any(run.returncode for run in runs), runs[0].stderr
  assert min(float(run.stdout) for run in runs) < 0.2, [run.stdout for run in runs]
