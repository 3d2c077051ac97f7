#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C at random moments of running programs: each run must end within two seconds, with exit code
130, or have ended before.

    fuzz/faults/interrupt.py --xylem build/xylem --points 100 --seed 1 PROGRAM.hlo|FOLDER...

A folder holds program.hlo. Arguments are drawn at random. --waiting interrupts commands that wait
for input, too: from standard input, and from a FIFO that nobody writes.
"""
import argparse
import collections
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

# What reads when there is nothing to read; {fifo} is a FIFO without a writer, {program} a program.
WAITING = [
    ["run", "-"], ["run", "{fifo}"], ["run", "--input", "-", "{program}"],
    ["run", "--input", "{fifo}", "{program}"], ["verify", "-"], ["verify", "{fifo}"],
    ["print", "-"], ["print", "{fifo}"], ["opt", "-"], ["opt", "{fifo}"], ["diff", "{fifo}"],
    ["test", "{fifo}"], ["compile", "-"], ["compile", "{fifo}"],
    ["run", "--output", "{fifo}", "{program}"],
]
PROGRAM = "HloModule m\nENTRY e { x = f32[3] parameter(0) ROOT y = f32[3] negate(x) }\n"


def start(words, stdin=subprocess.DEVNULL):
    return subprocess.Popen(words, stdin=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def wait(process, seconds):
    try:
        process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        pass


class Tally:
    def __init__(self, limit):
        self.limit = limit
        self.findings, self.outcomes, self.slowest = 0, collections.Counter(), 0.0

    def interrupt(self, words, moment, stdin=subprocess.DEVNULL):
        process = start(words, stdin)
        time.sleep(moment)
        process.send_signal(signal.SIGINT)
        begin = time.monotonic()
        try:  # without closing its standard input, which would end it
            process.wait(30)
        except subprocess.TimeoutExpired:
            pass
        took = time.monotonic() - begin
        code = process.poll()
        if code is None:
            process.kill()
        _, err = process.communicate()
        self.slowest = max(self.slowest, took)
        self.outcomes[code] += 1
        # Before the process has begun, the default action ends it: a shell says 130, too. What has
        # nothing left to do when the signal comes ends as always.
        good = code in (130, -signal.SIGINT, 0) or (code == 1 and b"cancelled" not in err)
        if not good or took > self.limit:
            self.findings += 1
            print(f"FINDING: {' '.join(words)} after {moment:.3f} s: exit code {code} in {took:.2f} s: "
                  f"{err.decode(errors='replace')[-200:]}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", nargs="*", type=pathlib.Path)
    parser.add_argument("--waiting", action="store_true", help="also commands that wait for input")
    parser.add_argument("--xylem", default="build/xylem")
    parser.add_argument("--points", type=int, default=10, help="moments for each program")
    parser.add_argument("--longest", type=float, default=5, help="latest moment, in seconds")
    parser.add_argument("--limit", type=float, default=2, help="seconds in which a run must end")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--options", nargs="*", default=[], help="of xylem run, as in --options=--backend=cpu")
    arguments = parser.parse_args()
    # Shells have what runs in the background ignore it, which programs inherit.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    rng = random.Random(arguments.seed)
    files = [path / "program.hlo" if path.is_dir() else path for path in arguments.programs]
    tally = Tally(arguments.limit)
    for program in files:
        words = [arguments.xylem, "run", "--random=1", *arguments.options, str(program)]
        begin = time.monotonic()
        process = start(words)
        wait(process, arguments.longest)
        duration = time.monotonic() - begin
        process.kill()
        process.wait()
        for _ in range(arguments.points):
            tally.interrupt(words, rng.uniform(0, duration))
    if arguments.waiting:
        with tempfile.TemporaryDirectory() as folder:
            names = {"fifo": folder + "/fifo", "program": folder + "/program.hlo"}
            os.mkfifo(names["fifo"])
            pathlib.Path(names["program"]).write_text(PROGRAM)
            for words in WAITING:
                words = [arguments.xylem] + [word.format(**names) for word in words]
                for _ in range(arguments.points):
                    tally.interrupt(words, rng.uniform(0, 0.3), subprocess.PIPE)
    print(f"{sum(tally.outcomes.values())} interruptions of {len(files)} programs: exit codes "
          f"{dict(tally.outcomes)}, slowest end {tally.slowest:.2f} s, {tally.findings} findings")
    sys.exit(1 if tally.findings else 0)


if __name__ == "__main__":
    main()
