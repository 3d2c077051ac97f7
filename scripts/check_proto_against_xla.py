#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the HLO protos that xylem reads and writes against XLA itself.

    python3 scripts/check_proto_against_xla.py [--xylem build/xylem] [FILE|FOLDER...]

Needs jaxlib. Default: tests/programs. For each program, .hlo.pb (a proto XLA wrote) or .hlo (text):

  print    .pb: xylem's text of it equals XLA's text of it
  written  .pb: what xylem writes for it XLA reads, and prints as it prints the original
           .hlo: what xylem writes for the text XLA reads, and prints as what XLA writes for it
  bytes    .hlo: xylem writes the bytes that XLA writes for the same text (not a failure where it does
           not: the order of maps and the numbering of stack frames are free)

and prints "N of N" for each. Texts that XLA does not read are skipped. XLA runs in child processes,
since input that it does not expect may end the process.
"""

import argparse
import multiprocessing
import pathlib
import subprocess
import sys
import tempfile

from jaxlib import _hlo


def xla(kind, data):
    """(text, serialized proto) of a program, as XLA gives them; or None and an error."""
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


def ask_xla(kind, data):
    """The same in a child process: XLA may end it, and numbers the modules of a process."""
    ours, theirs = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.Process(target=lambda: theirs.send(xla(kind, data)))
    child.start()
    theirs.close()
    try:
        return ours.recv()
    except EOFError:
        return None, "XLA ended the process"
    finally:
        child.join()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--xylem", default="build/xylem")
    parser.add_argument("--verbose", action="store_true", help="show what differs")
    parser.add_argument("paths", nargs="*", default=["tests/programs"])
    arguments = parser.parse_args()

    multiprocessing.set_start_method("fork")
    files = []
    for path in map(pathlib.Path, arguments.paths):
        found = [path] if path.is_file() else path.rglob("*")
        files += sorted(f for f in found if f.suffix == ".hlo" or f.name.endswith(".pb"))

    total, passed, failures = {}, {}, []

    def check(name, file, ok, detail=""):
        total[name] = total.get(name, 0) + 1
        passed[name] = passed.get(name, 0) + bool(ok)
        if not ok and name != "bytes":
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
            else:
                # Protos have no place for some facts of the header; they are lost to XLA as well.
                text, _ = ask_xla("proto", data)
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
