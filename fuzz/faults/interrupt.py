#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C at random moments of running programs: each run must end within two seconds, with exit code
130, or have ended before.

    fuzz/faults/interrupt.py --xylem build/xylem --points 100 --seed 1 PROGRAM.hlo|FOLDER...

A folder holds program.hlo. Arguments are drawn at random.
"""
import argparse
import collections
import pathlib
import random
import signal
import subprocess
import sys
import time


def start(xylem, program, extra):
    return subprocess.Popen([xylem, "run", "--random=1", *extra, str(program)],
                            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE)


def wait(process, seconds):
    """Exit code, None after the time; standard error."""
    try:
        _, err = process.communicate(timeout=seconds)
        return process.returncode, err
    except subprocess.TimeoutExpired:
        return None, b""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", nargs="+", type=pathlib.Path)
    parser.add_argument("--xylem", default="build/xylem")
    parser.add_argument("--points", type=int, default=10, help="moments for each program")
    parser.add_argument("--longest", type=float, default=5, help="latest moment, in seconds")
    parser.add_argument("--limit", type=float, default=2, help="seconds in which a run must end")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--options", nargs="*", default=[], help="of xylem run")
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    files = [path / "program.hlo" if path.is_dir() else path for path in arguments.programs]
    findings, outcomes, slowest = 0, collections.Counter(), 0.0
    for program in files:
        begin = time.monotonic()
        process = start(arguments.xylem, program, arguments.options)
        wait(process, arguments.longest)
        duration = time.monotonic() - begin
        process.kill()
        process.wait()
        for _ in range(arguments.points):
            moment = rng.uniform(0, duration)
            process = start(arguments.xylem, program, arguments.options)
            time.sleep(moment)
            process.send_signal(signal.SIGINT)
            begin = time.monotonic()
            code, err = wait(process, 30)
            took = time.monotonic() - begin
            if code is None:
                process.kill()
                process.wait()
            slowest = max(slowest, took)
            outcomes[code] += 1
            # Before the process has begun, the default action ends it: a shell says 130, too. What has
            # nothing left to do when the signal comes ends as always.
            good = code in (130, -signal.SIGINT, 0) or (code == 1 and b"cancelled" not in err)
            if not good or took > arguments.limit:
                findings += 1
                print(f"FINDING: {program} after {moment:.3f} s: exit code {code} in {took:.2f} s: "
                      f"{err.decode(errors='replace')[-200:]}", flush=True)
    print(f"{sum(outcomes.values())} interruptions of {len(files)} programs: exit codes "
          f"{dict(outcomes)}, slowest end {slowest:.2f} s, {findings} findings")
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
