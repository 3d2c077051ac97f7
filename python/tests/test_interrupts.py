# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C while programs run, and what becomes of the session afterwards."""

import os
import subprocess
import sys
import textwrap

import pytest

# Interrupts come through at once, but the machine may be busy; the programs themselves do not end.
PROLOGUE = """
import os, signal, sys, threading, time
import jax, jax.numpy as jnp, numpy as np
from jax.experimental import io_callback

STATE = jax.ShapeDtypeStruct((), jnp.float32)

def slow(v):
  time.sleep(.02)
  return np.asarray(v)

BODIES = {
    "pure_callback": lambda i, x: jax.pure_callback(slow, STATE, x),
    "io_callback": lambda i, x: io_callback(slow, STATE, x),
    "ordered": lambda i, x: io_callback(slow, STATE, x, ordered=True),
    "debug.callback": lambda i, x: (jax.debug.callback(slow, x), x)[1],
    "debug.print": lambda i, x: (jax.debug.print("{}", x), x)[1],
}

def loop(body, length=10**9):
  return jax.jit(lambda x: jax.lax.fori_loop(0, length, body, x))

def endless():
  f = jax.jit(lambda x: jax.lax.fori_loop(0, 10**9, lambda i, a: jnp.tanh(a @ x), x))
  return f.lower(X).compile()

X = jnp.ones((32, 32)) * .01

def interrupted(action, sends=signal.SIGINT, raises=KeyboardInterrupt, after=1):
  sent = []
  def send():
    sent.append(time.time())
    os.kill(os.getpid(), sends)
  timer = threading.Timer(after, send)
  timer.daemon = True
  timer.start()
  try:
    action()
  except raises as error:
    assert sent, "too early"
    assert time.time() - sent[0] < 10, time.time() - sent[0]
    return error
  raise AssertionError("not interrupted")

def works():
  start = time.time()
  assert float(jnp.sum(jnp.arange(10000.) @ jnp.ones((10000, 3)))) > 0
  assert loop(BODIES["pure_callback"], 3)(jnp.float32(2)) == 2
  assert time.time() - start < 60
"""


def run(code, returncode=0, timeout=300):
  environment = dict(os.environ, XYLEM_NUM_DEVICES="2", PYTHONUNBUFFERED="1")
  done = subprocess.run([sys.executable, "-c", PROLOGUE + textwrap.dedent(code)], timeout=timeout,
                        env=environment, capture_output=True, text=True)
  assert done.returncode == returncode, done.stderr[-3000:]
  return done


@pytest.mark.parametrize("name", ["pure_callback", "io_callback", "ordered", "debug.callback",
                                  "debug.print"])
def test_callbacks_in_a_loop(name):
  run(f"""
      f = loop(BODIES["{name}"]).lower(jnp.float32(1)).compile()
      for _ in range(2):
        interrupted(lambda: f(jnp.float32(1)).block_until_ready())
        works()
      g = loop(BODIES["{name}"], 2)
      assert g(jnp.float32(3)) == 3
      jax.effects_barrier()
      """)


def test_any_moment_of_a_callback():
  run("""
      f = loop(lambda i, x: jax.pure_callback(lambda v: v, STATE, x)).lower(jnp.float32(1)).compile()
      signal.signal(signal.SIGALRM, signal.default_int_handler)
      for i in range(100):
        signal.setitimer(signal.ITIMER_REAL, .01 + 1e-5 * i)
        try:
          f(jnp.float32(1)).block_until_ready()
        except KeyboardInterrupt:
          continue
        raise AssertionError(i)
      """)


@pytest.mark.parametrize("wait", [
    "y.block_until_ready()", "jax.block_until_ready([y, y + 1])", "float(y[0, 0])",
    "np.asarray(y)", "jax.device_get(y)", "print(y)"])
def test_waiting_for_a_program(wait):
  run(f"""
      f = endless()
      def action():
        y = f(X)
        {wait}
      interrupted(action)
      works()
      interrupted(action)
      works()
      """)


def test_results_of_an_interrupted_program_are_errors():
  done = run("""
      f = endless()
      y = f(X)
      interrupted(y.block_until_ready)
      try:
        y.block_until_ready()
      except jax.errors.JaxRuntimeError as error:
        print(error)
      """)
  assert "CANCELLED" in done.stdout


def test_short_programs_survive_a_wait_for_them():
  run("""
      step = jax.jit(lambda p: jax.lax.fori_loop(
          0, 20, lambda i, a: jnp.tanh(a @ a) + .1, p), donate_argnums=0)
      def train():
        global p
        while True:
          p = step(p)
          p.block_until_ready()
      for _ in range(20):
        p = jnp.ones((64, 64)) * .01
        interrupted(train)
        # Else the interrupt came when a step had taken p, before its result got the name.
        if not p.is_deleted():
          break
      assert np.isfinite(np.asarray(p)).all()
      """)


def test_handlers_of_signals_run_and_what_they_raise_arrives():
  run("""
      class Stop(Exception):
        pass
      seen = []
      def handler(number, frame):
        seen.append(number)
        if len(seen) == 2:
          raise Stop("now")
      signal.signal(signal.SIGALRM, handler)
      for body in (lambda i, x: x * .5 + jnp.sin(x), BODIES["debug.callback"]):
        seen.clear()
        signal.setitimer(signal.ITIMER_REAL, .3)
        f = loop(body).lower(jnp.float32(1)).compile()
        error = interrupted(lambda: f(jnp.float32(1)).block_until_ready(), signal.SIGALRM, Exception)
        assert "now" in str(error), error
        assert len(seen) == 2
        if body is not BODIES["debug.callback"]:  # the loop goes on
          interrupted(lambda: f(jnp.float32(1)).block_until_ready())
      """)


def test_a_callback_may_leave_the_interpreter():
  run("""
      def leave(v):
        sys.exit(7)
      jax.jit(lambda x: jax.pure_callback(leave, STATE, x))(jnp.float32(1))
      time.sleep(60)
      """, returncode=7)


def test_errors_of_callbacks_are_no_interrupts():
  run("""
      def fail(v):
        raise ValueError("no such value")
      try:
        jax.jit(lambda x: jax.pure_callback(fail, STATE, x))(jnp.float32(1)).block_until_ready()
      except jax.errors.JaxRuntimeError as error:
        assert "no such value" in str(error)
      else:
        raise AssertionError
      """)


def test_callbacks_that_wait_for_programs_of_other_threads():
  run("""
      from concurrent.futures import ThreadPoolExecutor
      pool = ThreadPoolExecutor(2)
      double = jax.jit(lambda x: loop(lambda i, a: a * 1., 10)(x * 2))
      def host(v):
        return np.asarray(pool.submit(lambda: double(v)).result(30))
      f = jax.jit(lambda x: jax.lax.fori_loop(0, 20, lambda i, a: jax.pure_callback(host, STATE, a), x))
      assert f(jnp.float32(1)) == 2. ** 20
      """)


def test_main_thread_may_be_interrupted_while_another_runs_callbacks():
  run("""
      stop = []
      def host(v):
        time.sleep(.01)
        return np.asarray(0 if stop else 1, np.float32)
      f = jax.jit(lambda x: jax.lax.while_loop(
          lambda a: a > 0, lambda a: jax.pure_callback(host, STATE, a), x))
      thread = threading.Thread(target=lambda: f(jnp.float32(1)).block_until_ready())
      thread.start()
      g = endless()
      interrupted(lambda: g(X).block_until_ready())
      stop.append(1)
      thread.join(20)
      assert not thread.is_alive()
      works()
      """)


def test_loops_that_turn_out_to_be_long():
  run("""
      f = jax.jit(lambda n, x: jax.lax.fori_loop(0, n, lambda i, a: jnp.sin(a) + .5, x))
      for _ in range(5):
        f(3, jnp.float32(1)).block_until_ready()
      interrupted(lambda: f(10**9, jnp.float32(1)).block_until_ready())
      works()
      interrupted(lambda: f(10**9, jnp.float32(1)).block_until_ready())
      assert f(0, jnp.float32(1)) == 1
      """)


def test_callbacks_on_several_devices():
  run("""
      from jax.sharding import PartitionSpec as P
      shard_map = getattr(jax, "shard_map", None)
      if shard_map is None:
        from jax.experimental.shard_map import shard_map
      mesh = jax.sharding.Mesh(np.array(jax.devices()), ("x",))
      seen = set()
      def note(v):
        seen.add(float(v[0]))
        time.sleep(.01)
      def body(x):
        return jax.lax.fori_loop(0, 10**9, lambda i, a: (jax.debug.callback(note, a), a)[1], x)
      x = jnp.arange(4.)
      f = jax.jit(shard_map(body, mesh=mesh, in_specs=P("x"), out_specs=P("x"))).lower(x).compile()
      x = jax.device_put(x, f.input_shardings[0][0])
      for _ in range(2):
        interrupted(lambda: f(x).block_until_ready())
        assert seen == {0., 2.}, seen
        works()
      """)


def test_compiling():
  run("""
      import functools
      f = jax.jit(lambda x: functools.reduce(lambda a, i: jnp.sin(a @ x) + i, range(4000), x))
      lowered = f.lower(jnp.ones((64, 64)))
      interrupted(lowered.compile, after=.2)
      works()
      """)


def test_exit_does_not_wait_for_results_that_nobody_sees():
  run("""
      f = endless()
      f(X)
      """, timeout=60)


def test_exit_waits_for_effects():
  done = run("""
      f = jax.jit(lambda x: jax.lax.fori_loop(
          0, 20, lambda i, a: (jax.debug.callback(lambda v: print("step", int(v)), i), a + 1)[1], x))
      f(jnp.float32(1))
      """)
  assert "step 19" in done.stdout


def test_callbacks_do_not_see_meshes_of_their_caller():
  run("""
      seen = []
      def host(v):
        seen.append(float(jnp.sum(jnp.asarray(v) * 2)))
        return np.asarray(v)
      mesh = jax.make_mesh((2,), ("x",))
      f = jax.jit(lambda x: jax.pure_callback(host, jax.ShapeDtypeStruct((4,), jnp.float32), x))
      with mesh:
        f(jnp.ones(4)).block_until_ready()
      if hasattr(jax, "set_mesh"):
        with jax.set_mesh(mesh):
          f(jax.device_put(np.ones(4, np.float32))).block_until_ready()
      assert set(seen) == {8.0}, seen
      """)
