#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what Xylem knows of sharding with Shardy's own tests.

    cmake --build build --target sharding_driver
    scripts/shardy_tests.py relations SHARDY     # a checkout of openxla/shardy

    PYTHON_WITH_JAXLIB scripts/shardy_tests.py propagation SHARDY

    scripts/shardy_tests.py filecheck SHARDY [--filecheck FileCheck-19]

filecheck: each function of the tests of propagation and of their debugging, after the pass that its
test runs (sharding_driver state), as MLIR prints it, against the lines that the test expects.

propagation: the functions of Shardy's tests of propagation, each a program for its whole pipeline
(jaxlib's) and for ours; compares the shardings of arguments, results and operations.

relations: the sharding rule of each operation in the tests of Shardy's registry of rules, against
the dimension relations of the instruction that the operation becomes. Prints what differs, and
fails unless all differences are those of DIFFERENCES.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

PROPAGATION = "shardy/dialect/sdy/transforms/propagation/test"

# Operations that are several instructions in HLO, and why their rules differ.
DIFFERENCES = {
    "all_to_all_different_dimensions":
        "HLO's all-to-all splits and joins one dimension of one operand; the translation reshapes "
        "around it, which relates more: what is not exchanged of both dimensions passes through",
    "all_to_all_same_dimension": "an all-to-all for each operand, with this rule",
    "clamp_scalar_min_max": "bounds are broadcast, since HLO's are arrays",
    "select_scalar_pred": "the predicate is broadcast, since HLO's is an array",
}

# A function that tests name and do not have.
COMPARATOR = """
func.func private @top_k_gt_f32_comparator(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>) -> tensor<i1> {
  %0 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0 : tensor<i1>
}
"""


def functions(text):
    """The functions of a test, each with the comments before it: (name, text)."""
    pieces = re.split(r"^(?=// CHECK-LABEL|func\.func)", text, flags=re.M)
    for piece in pieces:
        name = re.search(r"func\.func (?:private )?@(\w+)", piece)
        if not name:
            continue
        end = re.search(r"^}", piece, flags=re.M)
        yield name.group(1), piece[piece.index("func.func"):end.end()]


def expected_rules(text):
    return re.findall(r"// CHECK: .*?#?sdy\.op_sharding_rule<(.*?)>}?\s*$", text, flags=re.M)


def canonical(rule):
    """The rule with its tail cut where the test's is cut."""
    return rule.strip().rstrip("}>") + "}" if rule.endswith("}>") else rule.strip()


def run(driver, command, options, text, name):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, name + ".mlir")
        with open(path, "w") as file:
            file.write(text)
        done = subprocess.run([driver, command, *options, path], capture_output=True, text=True)
    return done.stdout, done.stderr.strip()


def relations(driver, checkout):
    total = right = 0
    failures = []
    for file, options in (("op_sharding_rule_registry.mlir", []),
                          ("op_sharding_rule_registry_conservative.mlir", ["--conservative"])):
        with open(os.path.join(checkout, PROPAGATION, file)) as source:
            text = source.read()
        for name, function in functions(text):
            wanted = expected_rules(function)
            if "@top_k_gt_f32_comparator" in function:
                function += COMPARATOR
            out, error = run(driver, "relations", options, function, name)
            lines = [line.split(" ", 3) for line in out.splitlines()]
            found = [rule for computation, _, _, rule in lines if computation == "ENTRY"]
            if not wanted:
                # An operation without a rule.
                wanted = ["none"]
            for rule in wanted:
                total += 1
                if canonical(rule) in [canonical(r) for r in found]:
                    right += 1
                else:
                    failures.append((file, name, rule, out, error))
    for file, name, rule, out, error in failures:
        reason = DIFFERENCES.get(name)
        print(f"{file}: {name}: expected {rule}" + (f" ({reason})" if reason else ""))
        print("".join(f"    {line}\n" for line in (out.splitlines() or [error])), end="")
    print(f"{right} of {total} sharding rules")
    return all(DIFFERENCES.get(name) for _, name, *_ in failures)


def programs(text):
    """The functions of a test as programs of their own, with what they may need: (name, text)."""
    for piece in re.split(r"^// -----.*$", text, flags=re.M):
        meshes = re.findall(r"^sdy\.mesh .*$", piece, flags=re.M)
        found = []
        for match in re.finditer(r"^func\.func (private |public )?@([\w.]+)", piece, flags=re.M):
            end = re.search(r"^}", piece[match.start():], flags=re.M)
            if end:
                body = piece[match.start():match.start() + end.end()]
                found.append((match.group(2), match.group(1) == "private ", body))
        private = [body for _, is_private, body in found if is_private]
        for name, is_private, body in found:
            if not is_private:
                body = re.sub(r"@" + re.escape(name) + r"\b", "@main", body, count=1)
                comparator = [COMPARATOR] if "@top_k_gt_f32_comparator" in body else []
                yield name, "\n".join(meshes + [body] + private + comparator) + "\n"


def with_names(text):
    """The program with a name as location of each operation."""
    from jax._src.interpreters import mlir
    from jaxlib.mlir import ir
    with mlir.make_ir_context(), ir.Location.unknown():
        printed = ir.Module.parse(text).operation.get_asm(enable_debug_info=True)
    number = iter(range(1 << 30))
    return re.sub(r'(#loc\d* = )loc\("[^"]*":\d+:\d+(?: to [^)]*)?\)',
                  lambda match: f'{match.group(1)}loc("v{next(number)}")', printed)


def propagation(driver, checkout):
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../fuzz/sharding"))
    import main as fuzz
    counts = dict.fromkeys(["equal", "different", "refused here", "refused by Shardy"], 0)
    folder = os.path.join(checkout, PROPAGATION)
    for file in sorted(os.listdir(folder)):
        with open(os.path.join(folder, file)) as source:
            text = source.read()
        for name, program in programs(text):
            try:
                program = fuzz.apart(with_names, program)
                theirs, alive = fuzz.apart(fuzz.by_shardy, program, fuzz.PIPELINE)
            except RuntimeError:
                counts["refused by Shardy"] += 1
                continue
            try:
                ours, present = fuzz.by_xylem(driver, program)
            except RuntimeError as error:
                counts["refused here"] += 1
                print(f"{file}: {name}: {str(error)[:300]}")
                continue
            differing = fuzz.differences(program, ours, theirs, present, alive)
            counts["different" if differing else "equal"] += 1
            if differing:
                print(f"{file}: {name}")
                for key, our, their in differing:
                    print(f"    {key}: Xylem {our}, Shardy {their}")
    print(", ".join(f"{count} {what}" for what, count in counts.items()))
    return counts["different"] + counts["refused here"] == 0


# The passes that tests run, as options of sharding_driver state.
PASSES = {"-sdy-basic-propagate": "basic", "-sdy-aggressive-propagate": "aggressive",
          "-sdy-op-priority-propagate": "op-priority", "-sdy-user-priority-propagate": "user-priority",
          "-sdy-propagation-pipeline": "pipeline"}


def options_of(text):
    """The options for the pass that the test runs; None if it runs another."""
    command = re.search(r"// RUN: (.*)", text).group(1)
    for name, option in PASSES.items():
        if name in command:
            conservative = ["--conservative"] if "conservative-propagation=true" in command else []
            return [f"--pass={option}", *conservative]
    return None


def checked(driver, filecheck, piece, name, checks, options, folder):
    """What FileCheck says of the function; empty if all is as expected."""
    program, expected = (os.path.join(folder, n) for n in ("program.mlir", "expected"))
    with open(program, "w") as file:
        file.write(piece)
    with open(expected, "w") as file:
        file.write(checks)
    done = subprocess.run([driver, "state", *options, program],
                          capture_output=True, text=True)
    if done.returncode != 0:
        return "refused: " + done.stderr.strip()[:300]
    found = re.search(r"^ *func\.func (?:private |public )?@" + re.escape(name) + r"\(.*?^  }", done.stdout,
                      flags=re.M | re.S)
    function = re.sub(r"^  ", "", found.group(0), flags=re.M) if found else ""
    function = function.replace("sdy.constant", "stablehlo.constant")
    check = subprocess.run([filecheck, expected], input=function, capture_output=True, text=True)
    return "" if check.returncode == 0 else check.stderr.strip()[:600] + "\n" + function[:1500]


def with_any_numbers(checks):
    """The checks with variables in place of %iterArg_0: Shardy's constants have no names, ours do, and
    names of values are numbered together."""
    bound = set()

    def variable(match):
        number = match.group(1)
        pattern = "" if number in bound else ":iterArg_[0-9]+"
        bound.add(number)
        return f"%[[ITER{number}{pattern}]]"

    return "\n".join(
        re.sub(r"%iterArg_(\d+)", variable, line) if "CHECK" in line else line
        for line in checks.split("\n"))


def by_filecheck(driver, checkout, filecheck, only=None):
    counts = dict.fromkeys(["as expected", "different"], 0)
    folders = [os.path.join(checkout, PROPAGATION),
               os.path.join(checkout, PROPAGATION.replace("test", "debugging/test"))]
    with tempfile.TemporaryDirectory() as folder:
        for path in (os.path.join(f, n) for f in folders for n in sorted(os.listdir(f))):
            with open(path) as source:
                text = source.read()
            options = options_of(text) if path.endswith(".mlir") else None
            if options is None:
                continue
            of_file = [0, 0]
            for piece in re.split(r"^// -----.*$", text, flags=re.M):
                if "expected-error" in piece:
                    continue
                labels = list(re.finditer(r"// CHECK-LABEL: .*?@([\w.]+)", piece))
                for i, label in enumerate(labels):
                    name = label.group(1)
                    entries = re.findall(r"^func\.func (private )?(?:public )?@([\w.]+)", piece, flags=re.M)
                    if name not in [other for _, other in entries]:
                        continue
                    # Of functions that are called, what their caller makes of them.
                    public = [other for private, other in entries if not private]
                    entry = name if name in public or not public else public[0]
                    end = labels[i + 1].start() if i + 1 < len(labels) else len(piece)
                    checks = piece[label.start():end].replace("sdy.constant", "stablehlo.constant")
                    checks = with_any_numbers(checks)
                    said = checked(driver, filecheck, piece, name, checks,
                                   [*options, f"--function={entry}"], folder)
                    of_file[not said] += 1
                    counts["different" if said else "as expected"] += 1
                    if said and (only is None or only == name):
                        print(f"{os.path.basename(path)}: {name}\n    " + said.replace("\n", "\n    "))
            print(f"{os.path.basename(path)}: {of_file[1]} of {sum(of_file)}")
    print(", ".join(f"{count} {what}" for what, count in counts.items()))
    return counts["different"] == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["relations", "propagation", "filecheck"])
    parser.add_argument("checkout")
    parser.add_argument("--driver", default="build/sharding_driver")
    parser.add_argument("--filecheck", default="FileCheck-19")
    parser.add_argument("--only", help="show the differences of this function alone (filecheck)")
    arguments = parser.parse_args()
    if arguments.what == "filecheck":
        sys.exit(not by_filecheck(os.path.abspath(arguments.driver), arguments.checkout,
                                  arguments.filecheck, arguments.only))
    check = {"relations": relations, "propagation": propagation}[arguments.what]
    sys.exit(not check(os.path.abspath(arguments.driver), arguments.checkout))


if __name__ == "__main__":
    main()
