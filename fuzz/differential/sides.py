# SPDX-License-Identifier: Apache-2.0
"""The two sides: Xylem's worker, and XLA in a process of its own, which a failed check of XLA's may end."""
import os
import pickle
import select
import struct
import subprocess
import sys

import values


class Crashed(Exception):
  """The process ended, or took too long."""


class _Child:
  """A process that is started when needed, and again after a crash."""

  def __init__(self, command, seconds):
    self.command, self.seconds, self.process = command, seconds, None

  def _start(self):
    if self.process is None:
      self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=subprocess.DEVNULL, bufsize=0)

  def close(self):
    if self.process is not None:
      self.process.kill()
      self.process.wait()
      self.process = None

  def send(self, data):
    self._start()
    try:
      view = memoryview(data)
      while view:
        view = view[self.process.stdin.write(view):]
    except BrokenPipeError:
      pass  # the read that follows tells

  def read(self, size):
    parts = []
    while size > 0:
      ready, _, _ = select.select([self.process.stdout], [], [], self.seconds)
      data = os.read(self.process.stdout.fileno(), min(size, 1 << 20)) if ready else b""
      if not data:
        code = self.process.poll()
        self.close()
        raise Crashed("timed out" if not ready else f"ended with {code}")
      parts.append(data)
      size -= len(data)
    return b"".join(parts)


class Xylem(_Child):
  STAGES = {1: "parse", 2: "verify", 3: "run"}

  def __init__(self, path, backend="interpreter"):
    super().__init__([path, f"--backend={backend}"], 60)

  def ask(self, text, inputs=(), run=True):
    """Sends a program; answer() gives the answer."""
    text = text.encode()
    data = [b"r" if run else b"v", struct.pack("<I", len(text)), text, struct.pack("<I", len(inputs))]
    for array in inputs:
      raw = values.raw(array)
      data += [struct.pack("<I", len(raw)), raw]
    self.send(b"".join(data))

  def _number(self):
    return struct.unpack("<I", self.read(4))[0]

  def answer(self):
    """("ok", [(shape text, bytes)]) or (stage, message)."""
    stage = self._number()
    if stage:
      return self.STAGES[stage], self.read(self._number()).decode(errors="replace")
    return "ok", [(self.read(self._number()).decode(), self.read(self._number())) for _ in range(self._number())]


class Xla(_Child):
  def __init__(self):
    super().__init__([sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "xla_worker.py")], 120)

  def ask(self, kind, text, inputs=()):
    """kind: "cpu", "evaluator", or "verify" (compile nothing)."""
    data = pickle.dumps((kind, text, [(values.NAMES[a.dtype], a.shape, values.raw(a)) for a in inputs]))
    self.send(struct.pack("<I", len(data)) + data)

  def answer(self):
    """("ok", [(type, dims, bytes)]) or (stage, message)."""
    return pickle.loads(self.read(struct.unpack("<I", self.read(4))[0]))
