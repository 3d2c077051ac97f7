#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the HLO that Xylem makes of StableHLO with XLA's own translation.

usage: compare_translations.py XYLEM FOLDER... [--count 500] [--work DIR] [--show CLASS]

Takes --count modules, spread evenly over NAME.mlir and NAME/program.mlir of the folders, that XLA translates
(jaxlib's mlir_module_to_xla_computation, in a process of its own, because a failed check ends it).
Both results are printed by Xylem and brought into a canonical form: instructions in post-order
from the root, numbered names, called computations in the place of their names. Prints how many are
equal; how many are equal but for the order of commutative operands, common subexpressions,
reshapes, iotas and layouts; and the others by the class of their difference: what operations one has more
of. Needs a
Python with jaxlib. Exits with 1 if a difference is not listed with a reason in
translation_differences.txt.
"""
import argparse
import collections
import fnmatch
import hashlib
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

TRANSLATE = """
import sys
from jaxlib import _jax
for line in sys.stdin:
    source, target = line.rstrip("\\n").split("\\t")
    print("start", source, flush=True)
    try:
        text = open(source).read()
        computation = _jax.mlir.mlir_module_to_xla_computation(text, False, False)
        data = computation.as_serialized_hlo_module_proto()
        with open(target, "wb") as out:
            out.write(data)
    except Exception as error:
        print("error", str(error).splitlines()[0][:200], flush=True)
    print("end", flush=True)
"""


def translate_all(pairs):
    """Writes XLA's HLO of each (source, target); returns the errors by source."""
    errors = {}
    rest = list(pairs)
    while rest:
        child = subprocess.run([sys.executable, "-c", TRANSLATE], text=True, capture_output=True,
                               input="".join(f"{a}\t{b}\n" for a, b in rest), check=False)
        at, done = None, 0
        for line in child.stdout.splitlines():
            word, _, what = line.partition(" ")
            if word == "start":
                at = what
            elif word == "error":
                errors[at] = what
            elif word == "end":
                done += 1
        if done < len(rest):  # the process ended on this one
            errors[str(rest[done][0])] = "a failed check of XLA"
            done += 1
        rest = rest[done:]
    return errors


INSTRUCTION = re.compile(r"^  (ROOT )?([\w.\-]+) = (.*)$")
HEADER = re.compile(r"^(ENTRY )?([\w.\-]+) .*{$|^(ENTRY )?([\w.\-]+) {$")
NAME = re.compile(r"[A-Za-z_][\w.\-]*")


class Instruction:
    def __init__(self, text):
        self.text = text
        # The shape ends where the operation's name starts: before the first '(' that follows a
        # word with a space before it.
        match = re.search(r" ([a-z][\w\-]*)\(", text)
        self.shape, self.opcode = text[:match.start()], match.group(1)
        depth, i = 0, match.end() - 1
        quoted = False
        while True:
            c = text[i]
            if quoted:
                quoted = c != '"'
            elif c == '"':
                quoted = True
            elif c in "({[":
                depth += 1
            elif c in ")}]":
                depth -= 1
                if depth == 0:
                    break
            i += 1
        self.arguments, self.attributes = text[match.end():i], text[i + 1:]


def parse(text):
    """The header, the computations and the name of the entry."""
    computations, entry, current = {}, None, None
    lines = text.splitlines()
    for line in lines[1:]:
        match = INSTRUCTION.match(line)
        if match and current is not None:
            instruction = Instruction(match.group(3))
            current["all"][match.group(2)] = instruction
            if match.group(1):
                current["root"] = match.group(2)
        elif line.endswith("{"):
            words = line.split()
            name = words[1] if words[0] == "ENTRY" else words[0]
            current = {"all": {}, "root": None}
            computations[name] = current
            if words[0] == "ENTRY":
                entry = name
    return lines[0], computations, entry


def names_in(instruction, all_instructions):
    if instruction.opcode in ("constant", "parameter"):
        return []
    return [name for name in NAME.findall(instruction.arguments) if name in all_instructions]


def canonical(computations, name, known, counts):
    """Lines of a computation, and those it calls by the hash of theirs."""
    if name in known:
        return known[name]
    computation = computations[name]
    instructions = computation["all"]
    order, number = [], {}
    # Everything from the root; then what has effects only, in its order.
    parameters = sorted((n for n in instructions if instructions[n].opcode == "parameter"),
                        key=lambda n: int(instructions[n].arguments))
    for start in parameters + [computation["root"]] + list(instructions):
        stack = [(start, iter(names_in(instructions[start], instructions)))]
        if start in number:
            continue
        number[start] = -1
        while stack:
            at, operands = stack[-1]
            following = next((n for n in operands if n not in number), None)
            if following is None:
                stack.pop()
                number[at] = len(order)
                order.append(at)
            else:
                number[following] = -1
                stack.append((following, iter(names_in(instructions[following], instructions))))
    lines = []
    for at in order:
        instruction = instructions[at]
        counts[instruction.opcode] += 1
        arguments = instruction.arguments
        if instruction.opcode not in ("constant", "parameter"):
            arguments = NAME.sub(
                lambda m: f"%{number[m.group(0)]}" if m.group(0) in number else m.group(0),
                arguments)
        attributes = re.sub(r", origin={.*?}}|, metadata={.*?}", "", instruction.attributes)
        attributes = NAME.sub(
            lambda m: "@" + hashlib.sha1("\n".join(
                canonical(computations, m.group(0), known, counts)).encode()).hexdigest()[:8]
            if m.group(0) in computations else m.group(0), attributes)
        lines.append(f"%{number[at]} = {instruction.shape} {instruction.opcode}({arguments})"
                     f"{attributes}")
    lines.append(f"root %{number[computation['root']]}")
    known[name] = lines
    return lines


def header_facts(line):
    """What the first line states, without the name of the module."""
    facts = re.sub(r"^HloModule [^,]*,? ?", "", line)
    return re.sub(r",? ?is_scheduled=\w+|,? ?frontend_attributes={.*?}(?=,|$)", "", facts)


COMMUTATIVE = {"add", "multiply", "and", "or", "xor", "maximum", "minimum"}
LAYOUT = re.compile(r"(?<=\])\{[\d,]*\}")
# Instructions that stay although nothing uses them.
EFFECTS = {"custom-call", "send", "send-done", "recv", "recv-done", "outfeed", "infeed"}


def dimensions_of(shape):
    match = re.match(r"\w+\[([\d,]*)\]$", shape)
    return None if match is None else [int(d) for d in match.group(1).split(",") if d]


def simplified(computations, name, known):
    """A digest of what a computation computes, the same for programs that differ only by: the order
    of the operands of a commutative operation; equal instructions that are merged or not; what is
    not used; layouts; a reshape or a broadcast that adds dimensions of size 1; reshapes in a row;
    reshapes and broadcasts to the own shape; an iota of several dimensions or the broadcast of
    one."""
    if name in known:
        return known[name]
    instructions = computations[name]["all"]
    digests = {}

    def digest(at):
        instruction = instructions[at]
        shape = LAYOUT.sub("", instruction.shape)
        opcode, arguments = instruction.opcode, instruction.arguments
        attributes = re.sub(r", origin={.*?}}|, metadata={.*?}", "", instruction.attributes)
        attributes = NAME.sub(lambda m: simplified(computations, m.group(0), known)
                              if m.group(0) in computations else m.group(0), attributes)
        operands = names_in(instruction, instructions)
        if opcode in ("broadcast", "reshape") and len(operands) == 1:
            source = LAYOUT.sub("", instructions[operands[0]].shape)
            if source == shape and (opcode == "reshape" or re.search(
                    r"dimensions={%s}" % ",".join(map(str, range(len(dimensions_of(shape)))))
                    + r"(,|$)", attributes)):
                return digests[operands[0]][0]
            stretched = [d for d in dimensions_of(shape) or [] if d != 1]
            if opcode == "broadcast" and stretched == [d for d in dimensions_of(source) if d != 1] \
                    and stretched != []:
                opcode, attributes = "reshape", ""
        if opcode == "reshape" and digests[operands[0]][1] is not None:
            parts = [digests[operands[0]][1]]
        else:
            parts = [digests[n][0] for n in operands]
        if opcode == "iota" and len(dimensions_of(shape)) > 1:
            dimension = int(re.search(r"iota_dimension=(\d+)", attributes).group(1))
            row = f"{shape.split('[')[0]}[{dimensions_of(shape)[dimension]}]"
            iota = (row, "iota", [], "", attributes.replace(f"={dimension}", "=0"))
            parts = [hashlib.sha1(repr(iota).encode()).hexdigest()]
            opcode, attributes = "broadcast", f", dimensions={{{dimension}}}"
        if opcode in COMMUTATIVE:
            parts.sort()
        literal = arguments if opcode in ("constant", "parameter") else ""
        return hashlib.sha1(repr((shape, opcode, parts, literal, attributes)).encode()).hexdigest()

    for at in instructions:  # printed after their operands
        inner = None
        instruction = instructions[at]
        if instruction.opcode in ("reshape", "broadcast"):
            operand = names_in(instruction, instructions)[0]
            kept = [d for d in dimensions_of(LAYOUT.sub("", instruction.shape)) or [] if d != 1]
            of_operand = dimensions_of(LAYOUT.sub("", instructions[operand].shape)) or []
            if instruction.opcode == "reshape" or (kept and kept == [d for d in of_operand if d != 1]):
                inner = digests[operand][1] or digests[operand][0]
        digests[at] = (digest(at), inner)
    effects = sorted(digests[at][0] for at in instructions if instructions[at].opcode in EFFECTS)
    result = hashlib.sha1(repr((digests[computations[name]["root"]][0], effects)).encode())
    known[name] = result.hexdigest()
    return known[name]


class Program:
    def __init__(self, text):
        line, computations, entry = parse(text)
        self.counts = collections.Counter()
        self.header = header_facts(line)
        self.lines = canonical(computations, entry, {}, self.counts)
        self.simplified = LAYOUT.sub("", self.header), simplified(computations, entry, {})


def classify(ours, theirs):
    more = ours.counts - theirs.counts
    fewer = theirs.counts - ours.counts
    if more or fewer:
        def words(sign, counts):
            return [f"{sign}{n}" for n in sorted(counts)]
        return " ".join(words("+", more) + words("-", fewer))
    if ours.lines == theirs.lines:
        return "header"
    for a, b in zip(ours.lines, theirs.lines):
        if a != b:
            return "text of " + re.search(r" ([a-z][\w\-]*)\(", a + " root(").group(1)
    return "length"


def read_reasons():
    """Pairs of a pattern of file names, or of folder/name, and the reason why their difference is harmless."""
    lines = Path(__file__).with_name("translation_differences.txt").read_text().splitlines()
    return [line.split(": ", 1) for line in lines if line and not line.startswith("#")]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("xylem")
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "compare_translations")
    parser.add_argument("--show", help="print the programs of this class of differences")
    parser.add_argument("--names", action="store_true", help="print all names of a class")
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)

    files = sorted(path for folder in arguments.folders
                   for pattern in ("*.mlir", "*/program.mlir") for path in folder.glob(pattern))
    files = [path for path in files if "// -----" not in path.read_text()]
    targets = {path: arguments.work / (hashlib.sha1(str(path).encode()).hexdigest()[:16] + ".pb")
               for path in files}
    # More than are needed: XLA does not translate all.
    step = max(1.0, len(files) / (arguments.count * 1.3))
    chosen = [files[int(i * step)] for i in range(int(len(files) / step))]
    errors = translate_all([(path, targets[path]) for path in chosen
                            if not targets[path].exists()])
    usable = [path for path in chosen if targets[path].exists()][:arguments.count]
    print(f"{len(usable)} modules; XLA rejects {len(errors)} others")

    equal, alike, classes = 0, 0, collections.defaultdict(list)
    for path in usable:
        texts = []
        for source in (path, targets[path]):
            child = subprocess.run(
                [arguments.xylem, "print", "--no-verify", "--options=short", "--large-constants",
                 "--no-metadata", str(source)], text=True, capture_output=True, check=False)
            texts.append(child.stdout if child.returncode == 0 else None)
            if child.returncode != 0:
                classes["not translated: " + child.stderr.strip().splitlines()[0][:100]].append(path)
                break
        if None in texts or len(texts) < 2:
            continue
        ours, theirs = Program(texts[0]), Program(texts[1])
        if ours.lines == theirs.lines and ours.header == theirs.header:
            equal += 1
            continue
        if ours.simplified == theirs.simplified:
            alike += 1
            continue
        name = classify(ours, theirs)
        classes[name].append(path)
        if arguments.show is not None and arguments.show == name:
            print(f"== {path}\n-- Xylem: {ours.header}\n" + "\n".join(ours.lines) +
                  f"\n-- XLA: {theirs.header}\n" + "\n".join(theirs.lines))
    print(f"{equal} of {len(usable)} equal, {alike} more but for the order of commutative operands, "
          "common subexpressions, reshapes, iotas and layouts")
    reasons, listed = read_reasons(), collections.Counter()
    unlisted = 0
    for name, paths in sorted(classes.items(), key=lambda item: -len(item[1])):
        shown = paths if arguments.names else paths[:3]
        print(f"{len(paths):5} {name}: {', '.join(p.name for p in shown)}")
        for path in paths:
            names = (path.name, f"{path.parent.name}/{path.name}")
            reason = next((why for pattern, why in reasons
                           if any(fnmatch.fnmatch(name, pattern) for name in names)), None)
            if reason is None:
                unlisted += 1
                print(f"      without a reason: {path}")
            else:
                listed[reason] += 1
    print("harmless, with the reason:")
    for reason, count in listed.most_common():
        print(f"{count:5} {reason}")
    return 1 if unlisted else 0


if __name__ == "__main__":
    sys.exit(main())
