#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the HLO protos that xylem reads and writes against XLA itself.

    python3 scripts/check_proto_against_xla.py [--xylem build/xylem] [FILE|FOLDER...]

Needs jaxlib. Default: tests/programs. For each program, .hlo.pb (a proto XLA wrote) or .hlo (text):

  print    .pb: xylem's text of it equals XLA's text of it
  written  .pb: what xylem writes for it XLA reads, and prints as it prints the original
           .hlo: what xylem writes for the text XLA reads, and prints as it prints the text
  bytes    .hlo: xylem writes the bytes that XLA writes for the same text

and prints "N of N" for each. Texts that XLA does not read are skipped. XLA runs in child processes,
since input that it does not expect may end the process.
"""

import argparse
import multiprocessing
import pathlib
import subprocess
import sys
import tempfile


def xla(kind, data):
    """(text, serialized proto) of a program, as XLA gives them; or None and an error."""
    from jaxlib import _hlo

    try:
        module = (
            _hlo.HloModule.from_serialized_hlo_module_proto(data)
            if kind == "proto"
            else _hlo.hlo_module_from_text(data)
        )
        options = _hlo.HloPrintOptions()
        options.print_large_constants = True
        return module.to_string(options), module.as_serialized_hlo_module_proto()
    except Exception as error:  # what XLA raises depends on what it met
        return None, str(error)


def worker(connection):
    while True:
        connection.send(xla(*connection.recv()))


class Xla:
    """XLA in a child process that is replaced when it dies."""

    def __init__(self):
        self.process = None

    def __call__(self, kind, data):
        if self.process is None or not self.process.is_alive():
            self.connection, other = multiprocessing.Pipe()
            self.process = multiprocessing.Process(target=worker, args=(other,), daemon=True)
            self.process.start()
            other.close()
        self.connection.send((kind, data))
        try:
            return self.connection.recv()
        except EOFError:
            self.process.join()
            return None, "XLA ended the process"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--xylem", default="build/xylem")
    parser.add_argument("--verbose", action="store_true", help="show what differs")
    parser.add_argument("paths", nargs="*", default=["tests/programs"])
    arguments = parser.parse_args()

    files = []
    for path in map(pathlib.Path, arguments.paths):
        found = [path] if path.is_file() else path.rglob("*")
        files += sorted(f for f in found if f.suffix == ".hlo" or f.name.endswith(".pb"))

    ask_xla = Xla()
    total, passed, failures = {}, {}, []

    def check(name, file, ok, detail=""):
        total[name] = total.get(name, 0) + 1
        passed[name] = passed.get(name, 0) + bool(ok)
        if not ok:
            failures.append(f"{name}: {file}: {detail}")

    def difference(ours, theirs):
        for a, b in zip(ours.splitlines(), theirs.splitlines()):
            if a != b:
                return f"\n  xylem {a.strip()[:300]}\n  XLA   {b.strip()[:300]}"
        return "one is longer"

    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out"

        def xylem(file, *options):
            command = [arguments.xylem, "print", str(file), *options, "--output", str(out)]
            run = subprocess.run(command, capture_output=True, text=True)
            return (out.read_bytes(), "") if run.returncode == 0 else (None, run.stderr[:500])

        for file in files:
            is_proto = file.name.endswith(".pb")
            text, data = ask_xla(*(("proto", file.read_bytes()) if is_proto else ("text", file.read_text())))
            if text is None:
                if is_proto:
                    check("print", file, False, f"XLA does not read it: {data[:300]}")
                continue
            if is_proto:
                ours, error = xylem(file, "--large-constants")
                ours = ours.decode() if ours is not None else None
                check("print", file, ours == text, error or difference(ours, text))
            ours, error = xylem(file, "--proto")
            if ours is None:
                check("written", file, False, error)
                continue
            again, error = ask_xla("proto", ours)
            check("written", file, again == text, difference(again, text) if again else error[:300])
            if not is_proto:
                check("bytes", file, ours == data)

    for failure in failures if arguments.verbose else failures[:20]:
        print(failure)
    for name in total:
        print(f"{name:8} {passed[name]} of {total[name]}")
    return 0 if not failures and total else 1


if __name__ == "__main__":
    sys.exit(main())
