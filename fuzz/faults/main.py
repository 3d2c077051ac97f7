#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fault injection: runs the command's main paths with one fault each and checks how they end.

    fuzz/faults/main.py --xylem build/xylem --tools build --points 10000 --seed 1

Kinds of faults: an allocation fails (alloc), or this one and all later ones (alloc+); a write,
rename or fsync fails (write, write+); a signal comes at a random moment (signal). After each run:
the process ended by itself, with an exit code that fits (0 or 1; 130 after a signal; 127 with its own
message if the C library ends it), within the time limit; files under their final names are whole, or what they were before; no temporary file is
left. A failed write to a file or to standard output must be reported with exit code 1.
"""
import argparse
import collections
import concurrent.futures
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

TEXTS = {
    "small.hlo": """HloModule small
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = pred[] compare(a, b), direction=LT }
ENTRY e {
  x = f32[64,33] parameter(0)
  z = f32[] constant(0)
  r = f32[33] reduce(x, z), dimensions={0}, to_apply=add
  t = f32[64,33] sort(x), dimensions={1}, to_apply=less
  d = f32[64,64] dot(x, t), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  c = f32[64] custom-call(x), custom_call_target="missing"
  ROOT o = (f32[33], f32[64,64]) tuple(r, d)
}
""".replace('  c = f32[64] custom-call(x), custom_call_target="missing"\n', ""),
    "replicated.hlo": """HloModule pair, replica_count=2
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
ENTRY e { x = f32[128] parameter(0) ROOT r = f32[128] all-reduce(x), to_apply=add }
""",
    "fft.hlo": """HloModule fft
ENTRY e { x = c64[1009] iota(), iota_dimension=0
  ROOT f = c64[1009] fft(x), fft_type=FFT, fft_length={1009} }
""",
    "invalid.hlo": """HloModule invalid
ENTRY e { x = f32[2] parameter(0) ROOT r = f32[3] negate(x) }
""",
    "check.hlo": """HloModule check
ENTRY e { a = f32[3] constant({1, 2, 3}) b = f32[3] add(a, a) c = f32[3] constant({2, 4, 6})
  t = () custom-call(b, c), custom_call_target="check.expect_eq", custom_call_has_side_effect=true
  ROOT r = () tuple() }
""",
    "program.mlir": """func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}
""",
    "loop.hlo": """HloModule loop
c { p = (s32[], f32[64,64]) parameter(0) i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(1000000000) ROOT r = pred[] compare(i, n), direction=LT }
b { p = (s32[], f32[64,64]) parameter(0) i = s32[] get-tuple-element(p), index=0
  x = f32[64,64] get-tuple-element(p), index=1 one = s32[] constant(1) j = s32[] add(i, one)
  y = f32[64,64] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT r = (s32[], f32[64,64]) tuple(j, y) }
ENTRY e { z = s32[] constant(0) x = f32[64,64] parameter(0) i = (s32[], f32[64,64]) tuple(z, x)
  ROOT w = (s32[], f32[64,64]) while(i), condition=c, body=b }
""",
}

# Command lines in a folder with the texts above; the files that they write.
COMMANDS = [
    (["run", "--random=1", "--output", "out.npz", "small.hlo"], "out.npz"),
    (["run", "--random=1", "--threads=2", "small.hlo"], None),
    (["run", "--input", "in.npz", "--output", "old.npz", "small.hlo"], "old.npz"),
    (["run", "--random=1", "--output", "-", "replicated.hlo"], None),
    (["run", "--json", "fft.hlo"], None),
    (["verify", "small.hlo", "replicated.hlo"], None),
    (["verify", "invalid.hlo"], None),
    (["print", "--proto", "--output", "out.pb", "small.hlo"], "out.pb"),
    (["print", "program.mlir"], None),
    (["opt", "--passes=fixpoint(algebraic-simplifier,dce)", "--output", "out.hlo", "small.hlo"],
     "out.hlo"),
    (["test", "check.hlo"], None),
    (["test", "--backend=cpu", "check.hlo"], None),
    (["compile", "--emit=asm", "small.hlo"], None),
    (["compile", "--report", "fft.hlo"], None),
    (["info"], None),
    (["ops", "add"], None),
    (["--help"], None),
    (["completions", "bash"], None),
]
# Ended by signals: these do not end by themselves.
ENDLESS = [
    (["run", "--random=1", "--output", "out.npz", "loop.hlo"], "out.npz"),
    (["verify", "fifo"], None),
]


class Runner:
    def __init__(self, arguments):
        self.xylem = str(pathlib.Path(arguments.xylem).resolve())
        tools = pathlib.Path(arguments.tools).resolve()
        self.alloc = str(tools / "liballoc_faults.so")
        self.write = str(tools / "write_faults")
        self.base = pathlib.Path(tempfile.mkdtemp(prefix="xylem_faults"))
        self.template = self.base / "template"
        self.template.mkdir()
        for name, text in TEXTS.items():
            (self.template / name).write_text(text)
        self.make_input("in.npz")
        self.make_input("old.npz")
        self.expected = {}
        self.number = 0

    def make_input(self, name):
        text = "HloModule m\nENTRY e { ROOT x = f32[64,33] iota(), iota_dimension=0 }\n"
        subprocess.run([self.xylem, "run", "--output", str(self.template / "tmp.npz"), "-"],
                       input=text.encode(), check=True, capture_output=True)
        data = (self.template / "tmp.npz").read_bytes()
        (self.template / name).write_bytes(data.replace(b"out00", b"arg00"))
        (self.template / "tmp.npz").unlink()

    def folder(self):
        self.number += 1
        path = self.base / str(self.number)
        shutil.copytree(self.template, path)
        (path / "tmp").mkdir()
        subprocess.run(["mkfifo", str(path / "fifo")], check=True)
        return path

    def start(self, prefix, words, path, env):
        environment = {"PATH": "/usr/bin:/bin", "TMPDIR": str(path / "tmp"), **env}
        return subprocess.Popen([*prefix, self.xylem, *words], cwd=path, env=environment,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, pass_fds=[])

    def finish(self, process, path, before, written, kind, limit=30):
        """What is wrong with the run, if anything; its exit code, stdout and stderr."""
        problems = []
        try:
            out, err = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            problems.append(f"did not end within {limit} s")
        code = process.returncode
        # Before the process has begun, the default action ends it: a shell says 130, too.
        if kind == "signal" and code == -signal.SIGINT:
            code = 130
        if code < 0 and not problems:
            problems.append(f"ended by {signal.Signals(-code).name}")
        allowed = {"signal": (0, 1, 130)}.get(kind, (0, 1))
        # The C library itself ends a thread's process that has no memory for the variables of a
        # library (elf/dl-tls.c), with this message and code; nothing can be done about that.
        if kind.startswith("alloc") and b"cannot allocate memory for thread-local data" in err:
            allowed = (127,)
        if code >= 0 and code not in allowed:
            problems.append(f"exit code {code}")
        after = self.files(path)
        for name in sorted(set(before) | set(after)):
            if name == written:
                if after.get(name) not in (before.get(name), self.expected.get(name)):
                    problems.append(f"{name} is partial")
                if code == 0 and kind != "baseline" and after.get(name) != self.expected.get(name):
                    problems.append(f"exit code 0 without {name}")
            elif before.get(name) != after.get(name):
                problems.append(f"{name} was " + ("changed" if name in before else "left behind"))
        return problems, code, out, err

    @staticmethod
    def files(path):
        return {str(file.relative_to(path)): file.read_bytes() for file in path.rglob("*")
                if file.is_file()}

    def run(self, words, written, kind, point):
        path = self.folder()
        before = self.files(path)
        env, prefix = {}, []
        if kind in ("alloc", "alloc+", "count-alloc"):
            env["LD_PRELOAD"] = self.alloc
        count_file = self.base / f"count.{path.name}"
        if kind == "count-alloc":
            env["XYLEM_COUNT_ALLOCATIONS"] = str(count_file)
        elif kind in ("alloc", "alloc+"):
            env["XYLEM_FAIL_ALLOCATION"] = str(point) + ("+" if kind == "alloc+" else "")
        if kind.startswith(("write", "count-write")):
            number = 0 if kind == "count-write" else point
            suffix = "+" if kind == "write+" else ""
            prefix = ["/bin/sh", "-c", f'exec "$@" 3>"{count_file}"', "sh", self.write,
                      f"{number}{suffix}"]
        process = self.start(prefix, words, path, env)
        limit = 30
        if kind == "signal":
            time.sleep(point)
            process.send_signal(signal.SIGINT)
            limit = 2.5
        problems, code, out, err = self.finish(process, path, before, written, kind, limit)
        if kind in ("write", "write+") and code == 0:
            failed_on = int(count_file.read_text().split()[1])
            # Of all that may fail, only messages on standard error may get lost.
            if failed_on not in (-1, 2):
                problems.append(f"a failed write on descriptor {failed_on} was not reported")
        count = 0
        if count_file.exists():
            text = count_file.read_text().split()
            count = int(text[0]) if text else 0
            count_file.unlink()
        result = {name: data for name, data in self.files(path).items()}
        shutil.rmtree(path)
        return problems, code, count, result, out, err


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--xylem", default="build/xylem")
    parser.add_argument("--tools", default="build", help="folder of liballoc_faults.so and write_faults")
    parser.add_argument("--points", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--kinds", nargs="*", default=["alloc", "alloc+", "write", "write+", "signal"])
    arguments = parser.parse_args()
    # Shells have what runs in the background ignore it, which programs inherit.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    rng = random.Random(arguments.seed)
    runner = Runner(arguments)
    plan = []
    # What each command does without faults, and how many points it has.
    counts = {}
    for words, written in COMMANDS:
        problems, code, allocations, files, _, err = runner.run(words, written, "count-alloc", 0)
        expected_code = 1 if "invalid.hlo" in words else 0
        if code != expected_code:
            sys.exit(f"xylem {' '.join(words)} exits with {code} without faults: {err.decode()}")
        if written:
            runner.expected[written] = files[written]
        _, _, writes, _, _, _ = runner.run(words, written, "count-write", 0)
        counts[tuple(words)] = (allocations, writes)
        print(f"{' '.join(words)}: {allocations} allocations, {writes} writes", flush=True)
    share = max(1, arguments.points // (len(COMMANDS) * len(arguments.kinds)))
    for words, written in COMMANDS:
        allocations, writes = counts[tuple(words)]
        for kind in arguments.kinds:
            if kind == "signal":
                plan += [(words, written, kind, rng.uniform(0, 0.05)) for _ in range(share)]
                continue
            most = allocations if kind.startswith("alloc") else writes
            points = list(range(1, most + 1))
            if len(points) > share:
                points = sorted(rng.sample(points, share))
            plan += [(words, written, kind, point) for point in points]
    if "signal" in arguments.kinds:
        for words, written in ENDLESS:
            plan += [(words, written, "signal", rng.uniform(0.0, 0.4)) for _ in range(share)]
    # Rounding, and commands with few writes, leave some for the path with the most allocations.
    rng.shuffle(plan)
    while len(plan) < arguments.points and "alloc" in arguments.kinds:
        words, written = COMMANDS[rng.randrange(5)]
        plan.append((words, written, "alloc", rng.randrange(1, counts[tuple(words)][0] + 1)))
    codes = collections.Counter()
    findings = 0

    def one(item):
        return item, runner.run(*item)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for (words, _, kind, point), (problems, code, _, _, _, err) in pool.map(one, plan):
            codes[(kind, code)] += 1
            for problem in problems:
                findings += 1
                print(f"FINDING: {kind} {point}: xylem {' '.join(words)}: {problem}: "
                      f"{err.decode(errors='replace')[-300:]}", flush=True)
    shutil.rmtree(runner.base)
    for (kind, code), count in sorted(codes.items()):
        print(f"{kind:8} exit {code:4}: {count}")
    print(f"{len(plan)} points, {findings} findings")
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
