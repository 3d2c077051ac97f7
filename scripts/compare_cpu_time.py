#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compare the CPU time of a run, over all threads, of compiled programs and of XLA:CPU.

On a busy machine it says more than the time on the clock: neither side is charged for waiting. Needs a
Python with jaxlib, such as build-xla/bin/python (`make oracle`).

usage: compare_cpu_time.py [--xylem build/xylem] [--seconds 0.5] PROGRAM_DIR...
"""
import argparse
import json
import math
import os
import subprocess
import sys
import time


def xla_time(peer, folder, seconds):
    """Milliseconds of CPU time of a run: the least of some batches."""
    arguments = peer.arguments(folder)
    executable = peer.compile(folder)

    def run():
        for result in executable.execute(arguments):
            result.block_until_ready()

    run()
    start = time.perf_counter()
    run()
    batch = max(1, min(200, int(0.05 / max(time.perf_counter() - start, 1e-6))))
    times, end = [], time.perf_counter() + seconds
    while len(times) < 3 or time.perf_counter() < end:
        start = time.process_time()
        for _ in range(batch):
            run()
        times.append((time.process_time() - start) / batch * 1e3)
    return min(times)


def our_time(xylem, folder, seconds):
    """Milliseconds of CPU time of a run, as `xylem bench` measures it: the least of three."""
    times = []
    for _ in range(3):
        done = subprocess.run([xylem, "bench", "--json", "--seconds", str(seconds / 3), folder],
                              capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(done.stderr.strip())
        times.append(json.loads(done.stdout.splitlines()[-1])["cpu_ms"])
    return min(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--xylem", default="build/xylem")
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("folders", nargs="+")
    arguments = parser.parse_args()
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bench"))
    from xla_cpu import Peer
    peer, ratios = Peer(), []
    print("| program | XLA ms | compiled ms | ratio |\n|---|---|---|---|")
    for folder in arguments.folders:
        folder = folder.rstrip("/")
        try:
            ours = our_time(arguments.xylem, folder, arguments.seconds)
            theirs = xla_time(peer, folder, arguments.seconds)
        except Exception as error:
            print(f"| {os.path.basename(folder)} | {str(error).splitlines()[0][:80]} |", flush=True)
            continue
        # Times below the resolution of the clock count as one microsecond.
        ratios.append(theirs / max(ours, 1e-3))
        print(f"| {os.path.basename(folder)} | {theirs:.3f} | {ours:.3f} | {ratios[-1]:.2f} |",
              flush=True)
    print(f"geometric mean {math.exp(sum(map(math.log, ratios)) / len(ratios)):.2f}, "
          f"slower than XLA: {sum(r < 0.95 for r in ratios)} of {len(ratios)}")


if __name__ == "__main__":
    main()
