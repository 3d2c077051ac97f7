#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Partitions programs with `xylem shard` and compares with XLA's partitioner.

    scripts/xla_spmd_tests.py --xylem build/xylem bench/spmd
    scripts/xla_spmd_tests.py --xylem build/xylem --xla XLA_CHECKOUT [--python VENV/bin/python]

PROGRAMS are files or folders of HLO text. --xla takes a checkout of XLA, or the file
spmd_partitioner_test.cc itself, and extracts the programs of that test. Each program is partitioned;
`xylem diff` compares what it computes with the same program undivided (--no-run leaves that out);
bytes received per device are counted as docs/spmd.md says. --python is one with jaxlib, whose XLA
partitions the same programs: its bytes are printed beside ours. A program ends up as ok, rounds (it
differs by less than 2^-16 of the largest element), differs, fails (an error of ours) or undecided (it
cannot run undivided). The exit code is 1 if one differs or fails.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

WIDTHS = {"pred": 1, "s4": 1, "u4": 1, "s8": 1, "u8": 1, "s16": 2, "u16": 2, "f16": 2, "bf16": 2,
          "s32": 4, "u32": 4, "f32": 4, "s64": 8, "u64": 8, "f64": 8, "c64": 8, "c128": 16}
COLLECTIVE = re.compile(
    r"= (\(?[^=]*?\)?) (all-gather|all-reduce|reduce-scatter|all-to-all|collective-permute|"
    r"collective-broadcast)(?:-start)?\(")
GROUPS = re.compile(r"replica_groups=(\{\{.*?\}\}|\{\}|\[[\d,]*\]<=\[[\d,]*\](?:T\([\d,]*\))?)")
# Axes of a mesh, or parts of them: mesh['x'=4,'y'=2], device_ids=(...) {'x':(2)2,'y'}
MESH_GROUPS = re.compile(r"replica_groups=mesh\[([^]]*)\](?:, device_ids=\([^{]*\))? \{([^}]*)\}")


def extract(text):
    """The programs of XLA's test: name of the test, its number of devices, HLO."""
    programs = []
    for match in re.finditer(r'(?:R"(\w*)\((\s*HloModule.*?)\)\1")', text, re.S):
        before = text[:match.start()]
        names = re.findall(r"TEST_[PF]\(\s*\w+,\s*(\w+)\)", before)
        after = text[match.end():]
        devices = (re.search(r"\bSpmdPartitioner\((\d+)", re.split(r"\nTEST_[PF]\(", after)[0]) or
                   re.search(r"PartitionComputation\(\s*\w+,\s*(?:/\*num_devices=\*/)?(\d+)",
                             after))
        counts = collections.Counter(p[0].split(".")[0] for p in programs)
        name = names[-1] if names else "program"
        if counts[name]:
            name += f".{counts[name]}"
        programs.append((name, int(devices.group(1)) if devices else 2, match.group(2)))
    return programs


def bytes_of(shapes):
    total = 0
    for kind, sizes in re.findall(r"\b([a-z]+\d*)\[([\d,]*)\]", shapes):
        count = WIDTHS.get(kind, 0)
        for size in filter(None, sizes.split(",")):
            count *= int(size)
        total += count
    return total


def group_size(line, devices):
    if match := MESH_GROUPS.search(line):
        sizes = dict(re.findall(r"'(\w+)'=(\d+)", match.group(1)))
        count = 1
        for axis, part in re.findall(r"'(\w+)'(?::\(\d+\)(\d+))?", match.group(2)):
            count *= int(part or sizes[axis])
        return count
    match = GROUPS.search(line)
    if not match or match.group(1) == "{}":
        return devices
    text = match.group(1)
    if text.startswith("["):
        return int(text[1:].split("]")[0].split(",")[-1])
    return max(len(group.split(",")) for group in re.findall(r"\{([\d,]+)\}", text))


def received(hlo, devices):
    """Bytes that the device receives that receives most, by rings, in compiled HLO text."""
    of_device = [0] * devices
    for line in re.sub(r"/\*.*?\*/", "", hlo).split("\n"):
        match = COLLECTIVE.search(line)
        if not match:
            continue
        size, opcode = bytes_of(match.group(1)), match.group(2)
        count = group_size(line, devices)
        if opcode == "collective-permute":
            pairs = re.search(r"source_target_pairs=\{(.*?)\}\}", line)
            for source, target in re.findall(r"(\d+),(\d+)", pairs.group(1) if pairs else ""):
                if source != target and int(target) < devices:
                    of_device[int(target)] += size
            continue
        others = count - 1
        cost = {"all-gather": size * others // count, "all-reduce": 2 * size * others // count,
                "reduce-scatter": size * others, "all-to-all": size * others // count,
                "collective-broadcast": size}[opcode]
        of_device = [n + cost for n in of_device]
    return max(of_device)


def xla_bytes(path, devices):
    """Runs in the Python that has jaxlib: partitions and compiles one program."""
    os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={max(devices, 1)}"
    os.environ["JAX_PLATFORMS"] = "cpu"
    import numpy
    from jax._src import xla_bridge
    from jax._src.lib import xla_client
    from jaxlib import _hlo

    module = _hlo.hlo_module_from_text(pathlib.Path(path).read_text())
    program = xla_client._xla.mlir.hlo_to_stablehlo(module.as_serialized_hlo_module_proto())
    options = xla_client.CompileOptions()
    options.num_replicas, options.num_partitions = 1, devices
    build = options.executable_build_options
    build.num_replicas, build.num_partitions = 1, devices
    build.use_spmd_partitioning, build.use_shardy_partitioner = True, False
    options.device_assignment = xla_client.DeviceAssignment.create(
        numpy.arange(devices).reshape(1, devices))
    backend = xla_bridge.get_backend("cpu")
    executable = backend.compile_and_load(
        program, xla_client.DeviceList(tuple(backend.devices()[:devices])), options)
    print("bytes", received(executable.hlo_modules()[0].to_string(), devices))


def ask_xla(python, path, devices):
    result = subprocess.run([python, __file__, "--one", path, str(devices)], capture_output=True,
                            text=True, timeout=300)
    match = re.search(r"^bytes (\d+)$", result.stdout, re.M)
    return int(match.group(1)) if match else None


def ask_xylem(xylem, path, devices, run):
    """Bytes, outcome and the message of an error."""
    base = ["--partitions", str(devices)]
    shard = subprocess.run([xylem, "shard", "--json", *base, path], capture_output=True, text=True,
                           timeout=300)
    if shard.returncode != 0:
        return None, "fails", shard.stderr.strip().split("\n")[0]
    received_bytes = json.loads(shard.stdout)["bytes_received"]
    if not run:
        return received_bytes, "ok", ""
    diff = subprocess.run([xylem, "diff", *base, "--random", "1", path], capture_output=True,
                          text=True, timeout=600)
    if diff.returncode == 0:
        return received_bytes, "ok", ""
    if "first difference" in diff.stdout:
        message = diff.stdout.strip().split("\n")[-1]
        # Sums in another order: `xylem diff` allows for less in long ones.
        error = re.search(r", (\S+) of the largest element", message)
        is_rounding = error is not None and float(error.group(1)) < 2.0**-16
        return received_bytes, "rounds" if is_rounding else "differs", message
    return received_bytes, "undecided", (diff.stderr or diff.stdout).strip().split("\n")[0]


def programs_of(arguments, folder):
    if arguments.xla:
        path = pathlib.Path(arguments.xla)
        if path.is_dir():
            path = path / "xla/service/spmd/spmd_partitioner_test.cc"
        for name, devices, text in extract(path.read_text()):
            file = pathlib.Path(folder) / f"{name}.hlo"
            file.write_text(text)
            yield name, devices, str(file)
    for program in arguments.programs:
        path = pathlib.Path(program)
        for file in sorted(path.glob("*.hlo")) if path.is_dir() else [path]:
            devices = re.search(r"num_partitions=(\d+)", file.read_text())
            yield file.stem, int(devices.group(1)) if devices else 2, str(file)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("programs", nargs="*")
    parser.add_argument("--xylem", default="build/xylem")
    parser.add_argument("--xla", help="a checkout of XLA, or its spmd_partitioner_test.cc")
    parser.add_argument("--python", help="a Python with jaxlib")
    parser.add_argument("--no-run", action="store_true", help="do not compare values")
    parser.add_argument("--only", help="a regular expression that names match")
    parser.add_argument("--max-devices", type=int, default=128)
    arguments = parser.parse_args()
    outcomes, ours, theirs, above = collections.Counter(), 0, 0, []
    with tempfile.TemporaryDirectory() as folder:
        for name, devices, path in programs_of(arguments, folder):
            if devices > arguments.max_devices or (
                    arguments.only and not re.search(arguments.only, name)):
                continue
            size, outcome, message = ask_xylem(arguments.xylem, path, devices, not arguments.no_run)
            outcomes[outcome] += 1
            line = f"{name:45} {devices:4} {outcome:9} {'-' if size is None else size:>10}"
            if arguments.python:
                peer = ask_xla(arguments.python, path, devices)
                line += f" {'-' if peer is None else peer:>10}"
                if peer is not None and size is not None:
                    ours, theirs = ours + size, theirs + peer
                    outcomes["compared"] += 1
                    if size > peer:
                        above.append((size - peer, name))
            print(line, message, flush=True)
    print(", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items())))
    if arguments.python:
        print(f"bytes received: {ours}, XLA {theirs}; above XLA: {len(above)} "
              f"{' '.join(name for _, name in sorted(above, reverse=True)[:20])}")
    return 1 if outcomes["differs"] or outcomes["fails"] else 0


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] == "--one":
        xla_bytes(sys.argv[2], int(sys.argv[3]))
    else:
        sys.exit(main())
