#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the programs of Shardy's own tests through the reader, printer and verifier of its dialect.

usage: shardy_dialect.py CHECKOUT XYLEM [--show N] [--only PART]

With a Python that has jaxlib. Each .mlir file below CHECKOUT/shardy/dialect/sdy is split at its
"// -----" lines. A program that jaxlib reads must be read, pass the verifier, print as jaxlib prints
it, and read back as the same; so must its bytecode. Where a program states an expected error, the
verifier must find one in that line, whose message says what Shardy's says. What passes of Shardy
report, rather than its reader or verifier, is not counted: jaxlib reads those programs.
"""
import argparse
import collections
import concurrent.futures
import difflib
import json
import re
import subprocess
import sys
from pathlib import Path

from jax._src.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

# Operations that jaxlib does not know: it prints them in their generic form.
UNKNOWN = re.compile(r"\b(check|interpreter)\.\w+")
EXPECTED = re.compile(r"//\s*expected-error\s*(?:@([+-]\d+|below|above))?\s*\{\{(.*?)\}\}\s*$")


class Program:
    def __init__(self, file, number, text):
        self.name = f"{file}:{number}"
        self.text = text
        self.errors = []  # (line, message)
        lines = text.split("\n")
        for i, line in enumerate(lines, 1):
            found = EXPECTED.search(line)
            if found is None:
                continue
            at = found.group(1)
            offset = {None: 0, "below": 1, "above": -1}.get(at)
            target = i + (int(at) if offset is None else offset)
            while at == "below" and EXPECTED.search(lines[target - 1]):
                target += 1
            self.errors.append((target, found.group(2)))


def read_by_jaxlib(data):
    """Text, generic text and bytecode; or the reason there is none."""
    context = mlir.make_ir_context()
    context.allow_unregistered_dialects = True
    with context, ir.Location.unknown(context):
        try:
            module = ir.Module.parse(data)
        except Exception as error:  # jaxlib raises several kinds
            return None, str(error)
        generic = module.operation.get_asm(print_generic_op_form=True)
        text = str(module)
        try:
            artifact = stablehlo.serialize_portable_artifact(
                module, stablehlo.get_current_version(), allow_other_dialects=True)
        except Exception:  # what StableHLO does not convert
            artifact = None
        return (text, generic, artifact), None


def artifact_by_jaxlib(artifact):
    with mlir.make_ir_context() as context:
        try:
            return str(stablehlo.deserialize_portable_artifact(context, artifact)), None
        except Exception as error:
            return None, str(error)


def run(xylem, command, data):
    if isinstance(data, str):
        data = data.encode()
    child = subprocess.run([xylem, *command, "-"], input=data, capture_output=True, check=False)
    return child.returncode, child.stdout.decode(), child.stderr.decode()


PRINT = ["print", "--no-verify", "--to=stablehlo"]


# MLIR writes the properties of operations that it does not know as other attributes.
def without_properties(text):
    lines = [re.sub(r"<\{(.*)\}>", r"{\1}", line) if UNKNOWN.search(line) else line
             for line in text.split("\n")]
    return "\n".join(lines)


def check_valid(xylem, program, by_jaxlib, counts):
    """The first thing that is wrong, or None; with a text that shows it."""
    text, generic, artifact = by_jaxlib
    status, printed, message = run(xylem, PRINT, program.text)
    if status != 0:
        return "not read", message
    # Parts of a file that others complete.
    if "RUN: split-file" not in program.text:
        status, _, message = run(xylem, ["verify"], program.text)
        if status != 0:
            return "refused by the verifier", message
    if UNKNOWN.search(program.text) is None:
        if printed.strip() != text.strip():
            return "printed differently", difference(printed, text)
        again, error = read_by_jaxlib(printed)
    else:
        _, ours, _ = run(xylem, [*PRINT, "--generic"], program.text)
        again, error = read_by_jaxlib(without_properties(ours))
    if again is None:
        return "print not read by jaxlib", error
    if again[1] != generic:
        return "print means something else", difference(again[1], generic)
    status, second, message = run(xylem, PRINT, printed)
    if status != 0 or second != printed:
        return "print not read back", message or difference(second, printed)
    status, from_generic, message = run(xylem, PRINT, generic)
    if status != 0:
        return "generic form not read", message
    if from_generic != printed:
        return "generic form differs", difference(from_generic, printed)
    if artifact is None:
        return None, ""
    counts["artifacts"] += 1
    status, read, message = run(xylem, [*PRINT, "--no-metadata"], artifact)
    if status != 0:
        return "artifact not read", message
    if read != printed:
        return "artifact differs", difference(read, printed)
    return None, ""


def difference(ours, theirs):
    lines = difflib.unified_diff(ours.splitlines(), theirs.splitlines(), "xylem", "jaxlib", n=0,
                                 lineterm="")
    return "\n".join(line[:300] for line in list(lines)[2:10])


# What Xylem's reader says of other dialects' attributes in its own words.
SAME = {"elements literal type must have static shape":
        "constants need a tensor or vector of static sizes"}


def said(message):
    """What an expected error says, as Xylem words it: without MLIR's quotes around the operation,
    and with the parameter that could not be read named after the reason."""
    message = re.sub(r"^custom op '[\w.]+' ", "", message)
    message = re.sub(r"^'([\w.]+)' op ", r"\1: ", message)
    message = re.sub(r"^op ", "", message)
    message = re.sub(r"failed to parse Sdy_TensorSharding, ", "", message)
    return SAME.get(message, message)


def names_parameter(message):
    """failed to parse Sdy_Kind parameter 'name' ..: the kind, as its mnemonic, and the name."""
    found = re.search(r"failed to parse Sdy_(\w+) parameter '(\w+)'", message)
    if found is None:
        return None
    mnemonics = {"TensorSharding": "sharding", "TensorShardingPerValue": "sharding_per_value"}
    kind = found.group(1)
    mnemonic = mnemonics.get(kind, re.sub(r"(?<!^)([A-Z])", r"_\1", kind).lower())
    return f"in '{found.group(2)}' of sdy.{mnemonic}"


def found_error(output, line, message):
    at = re.search(r":(\d+):\d+: ", output)
    if at is None or int(at.group(1)) != line:
        return False
    text = output.split("\n")[0]
    parameter = names_parameter(message)
    if parameter is not None:
        return parameter in text
    if message.startswith("failed to parse axis list"):
        return "_axes' of sdy.sharding" in text
    return said(message) in text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkout", type=Path)
    parser.add_argument("xylem")
    parser.add_argument("--show", type=int, default=5, help="how many failures of a kind to print")
    parser.add_argument("--only", default="", help="part of the names of files")
    arguments = parser.parse_args()
    root = arguments.checkout / "shardy" / "dialect" / "sdy"
    programs = []
    for file in sorted(root.rglob("*.mlir")):
        name = str(file.relative_to(root))
        if arguments.only not in name:
            continue
        parts = re.split(r"^// -----.*$", file.read_text(), flags=re.M)
        programs += [Program(name, i, part) for i, part in enumerate(parts)]
    counts = collections.Counter()
    shown = collections.Counter()

    def failure(kind, program, text):
        counts[kind] += 1
        shown[kind] += 1
        if shown[kind] <= arguments.show:
            print(f"== {program.name}: {kind}\n{text.rstrip()}")

    readings = [read_by_jaxlib(program.text) for program in programs]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        valid = [(p, r[0]) for p, r in zip(programs, readings) if r[0] is not None]
        results = pool.map(lambda pair: check_valid(arguments.xylem, *pair, counts), valid)
        for (program, _), (kind, text) in zip(valid, results):
            counts["valid programs"] += 1
            if kind is not None:
                failure(kind, program, text)
        invalid = [(p, r[1]) for p, r in zip(programs, readings) if r[0] is None and p.errors]
        results = pool.map(lambda p: run(arguments.xylem, ["verify"], p[0].text), invalid)
        for (program, _), (status, stdout, stderr) in zip(invalid, results):
            output = stdout + stderr
            found = [status != 0 and found_error(output, *error) for error in program.errors]
            for (line, message), is_found in zip(program.errors, found):
                counts["expected errors"] += 1
                if is_found:
                    continue
                # MLIR reads on after some errors of one attribute.
                if any(f and e[0] == line for f, e in zip(found, program.errors)):
                    counts["after another error of the same line"] += 1
                else:
                    failure("error not found", program,
                            f"line {line}: {message}\n{output[:600]}")
    for program, (reading, error) in zip(programs, readings):
        if reading is None and not program.errors:
            counts["refused by this jaxlib"] += 1
            status, _, message = run(arguments.xylem, PRINT, program.text)
            if status != 0 and "expected" in error:
                counts["read by neither"] += 1
            elif status != 0:
                failure("refused by jaxlib and not read", program, error[:300] + "\n" + message)
    print(json.dumps(dict(counts)))
    bad = set(counts) - {"valid programs", "expected errors", "refused by this jaxlib",
                         "read by neither", "after another error of the same line", "artifacts"}
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
