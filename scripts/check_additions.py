#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that what is added often takes the steps that the documentation shows, and no others.

The steps are read from a section of a page: a numbered line names a file and a place in it, and the
code block below is inserted there, or the line says that the file is new and the block is all of it.

  check_additions.py [operation] [strategy] --steps   checks that each step can be applied and counts
                                                      the files
  check_additions.py [operation] [strategy]           applies the steps to one copy of the tree, builds
                                                      it and checks what was added
    --build BUILD   takes the rooms that know no operation from this build folder of the tree, rather
                    than compile them again

An operation (docs/hacking.md) is run by scripts/new_operation_program.cc through builder, text,
verifier, interpreter and compiler. A strategy for kernels (docs/cpu.md) must be the one that
tests/cpu/plans_test.cc finds in the plan of its test, while all other plans stay as they are, and
compute what the interpreter does.
"""
import argparse
import dataclasses
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
STEP = re.compile(r"^\d+\. `([^`]+)`, (?:(before|within) `([^`]+)`|(a new file))")


@dataclasses.dataclass(frozen=True)
class Addition:
    """What is added by the steps of a section."""
    page: str
    section: str
    limits: dict   # subsection -> the most files that it may touch
    tests: tuple   # what the copy needs of tests/
    cmake: str     # the programs that check it
    commands: tuple  # each a list of words; {build} and {tree} are the folders
    # Of the files of the steps, which must all be matched.
    files: tuple = ()


ADDITIONS = {
    "operation": Addition(
        page="docs/hacking.md", section="Adding an operation",
        limits={"An elementwise operation": 4, "An operation with attributes": 9},
        # The folder that the operation table is checked against.
        tests=("tests/operations",),
        cmake="add_executable(new_operation scripts/new_operation_program.cc)\n"
              "target_link_libraries(new_operation PRIVATE xylem_all xylem_warnings)\n",
        commands=(["{build}/new_operation"],)),
    "strategy": Addition(
        page="docs/cpu.md", section="Adding a strategy",
        limits={"Adding a strategy": 4},
        tests=("tests/operations", "tests/cpu/plans", "tests/cpu/plans_test.cc", "tests/test_util.h",
               "tests/test_main.cc"),
        cmake="find_package(GTest REQUIRED)\n"
              "add_executable(new_strategy tests/cpu/plans_test.cc tests/test_main.cc)\n"
              "target_compile_definitions(new_strategy PRIVATE\n"
              "    XYLEM_SOURCE_DIR=\"${PROJECT_SOURCE_DIR}\")\n"
              "target_include_directories(new_strategy SYSTEM PRIVATE ${XYLEM_LLVM_INCLUDE})\n"
              "target_link_libraries(new_strategy PRIVATE xylem_all GTest::gtest xylem_warnings)\n"
              "add_executable(run_strategy scripts/new_strategy_program.cc)\n"
              "target_link_libraries(run_strategy PRIVATE xylem_all xylem_warnings)\n",
        commands=(["{build}/new_strategy", "--gtest_brief=1"],
                  ["{build}/run_strategy", "{tree}/{test}", "{strategy}"]),
        files=(r"xla/cpu/kernel/(\w+)\.h", r"xla/cpu/kernel/(\w+)\.cc",
               r"xla/cpu/kernel/strategies\.cc", r"tests/cpu/plans/[\w-]+\.hlo")),
}


def read_steps(page, section):
    """{title: [(file, where, anchor, code)]} of a section and its subsections; where is None for a
    new file."""
    with open(os.path.join(ROOT, page), encoding="utf-8") as f:
        lines = f.read().split("\n")
    steps, title, level, i = {}, None, 0, 0
    while i < len(lines):
        heading = re.match(r"(#+) (.*)$", lines[i])
        if heading and heading.group(2) == section:
            level, title = len(heading.group(1)), section
        elif heading and level and len(heading.group(1)) <= level:
            title, level = None, 0
        elif heading and level:
            title = heading.group(2).split(":")[0]
        step = STEP.match(lines[i]) if title else None
        if step:
            while not lines[i].startswith("```"):
                i += 1
            end = lines.index("```", i + 1)
            path, where, anchor, _ = step.groups()
            steps.setdefault(title, []).append((path, where, anchor, "\n".join(lines[i + 1:end])))
            i = end
        i += 1
    return steps


def insert(text, where, anchor, code):
    """The text with the code before the line with the anchor, or right after the anchor itself."""
    if where == "within":
        # The list of structs may be broken over lines anywhere.
        pattern = r"\s+".join(re.escape(part) for part in anchor.split())
        match = re.search(pattern, text)
        return None if match is None else text[:match.end()] + code + text[match.end():]
    place = text.find(anchor)
    if place < 0:
        return None
    line = text.rfind("\n", 0, place) + 1
    return text[:line] + code + "\n" + text[line:]


def apply_steps(addition, folder, write):
    """Applies all steps to the files of the folder. Returns whether all could be."""
    sections = read_steps(addition.page, addition.section)
    ok = set(sections) == set(addition.limits)
    changed = {}
    for title, steps in sections.items():
        files = {step[0] for step in steps}
        limit = addition.limits.get(title, 0)
        print(f"{title}: {len(steps)} steps in {len(files)} files (at most {limit})")
        ok &= 0 < len(files) <= limit
        for path, where, anchor, code in steps:
            full = os.path.join(folder, path)
            if where is None:
                if path in changed or os.path.exists(full):
                    print(f"{path} is not new", file=sys.stderr)
                    ok = False
                changed[path] = code + "\n"
                continue
            if path not in changed:
                with open(full, encoding="utf-8") as f:
                    changed[path] = f.read()
            result = insert(changed[path], where, anchor, code)
            if result is None:
                print(f"{path}: there is no `{anchor}`", file=sys.stderr)
                ok = False
            else:
                changed[path] = result
    for path in changed:
        if addition.files and not any(re.fullmatch(p, path) for p in addition.files):
            print(f"{path} should not have to change", file=sys.stderr)
            ok = False
    if write:
        for path, text in changed.items():
            with open(os.path.join(folder, path), "w", encoding="utf-8") as f:
                f.write(text)
    return ok


def names_of(addition):
    """What the steps name, for the commands."""
    names = {"test": "", "strategy": ""}
    for steps in read_steps(addition.page, addition.section).values():
        for path, _, _, code in steps:
            if path.startswith("tests/cpu/plans/"):
                names["test"] = path
            row = re.search(r'^\s*\{"([\w-]+)", Fits', code, re.M)
            if row:
                names["strategy"] = row.group(1)
    return names


def copy_tree(tree, tests):
    ignored = shutil.ignore_patterns(".*", "__pycache__")
    ignored_at_root = shutil.ignore_patterns(".*", "build*", "dist", "tests")
    shutil.copytree(ROOT, tree, symlinks=True, ignore=lambda folder, names: (
        ignored_at_root if folder == ROOT else ignored)(folder, names))
    for path in tests:
        source, target = os.path.join(ROOT, path), os.path.join(tree, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if os.path.isdir(source):
            shutil.copytree(source, target, dirs_exist_ok=True)
        else:
            shutil.copyfile(source, target)


def rooms_without_operations():
    """The rooms that do not use the IR, directly or through others: {room: its folders}. tests/structure
    checks that they include nothing of it."""
    with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as f:
        text = f.read()
    uses, folders = {"xla_protos": []}, {"xla_protos": []}
    for room, words in re.findall(r"^xylem_room\((\w+)\s([^)]*)\)", text, re.M):
        listed = {"": []}
        for word in words.split():
            if word in ("UNITY", "FOLDERS", "FILES", "EXCEPT", "USES"):
                key = word
                listed.setdefault(key, [])
            else:
                listed[key].append(word)
        uses[room], folders[room] = listed.get("USES", []), listed.get("FOLDERS", [])

    def has_operations(room):
        return room == "xla_ir" or any(has_operations(used) for used in uses.get(room, []))
    return {room: folders[room] for room in uses if not has_operations(room)}


def is_changed_by(path, room, folders):
    """Whether a room is compiled otherwise once the file is changed: its own file, or a message that
    it uses."""
    if not path.endswith(".proto"):
        return os.path.dirname(path) in folders
    if room == "xla_protos":
        return True
    header = f'#include "{path.removesuffix(".proto")}.pb.h"'
    for folder in folders:
        for name in os.listdir(os.path.join(ROOT, folder)):
            if name.endswith((".h", ".cc")):
                with open(os.path.join(ROOT, folder, name), encoding="utf-8") as f:
                    if header in f.read():
                        return True
    return False


def take_rooms(additions, build):
    """CMake for the end of the copy's CMakeLists.txt: these rooms are the archives of `build`."""
    rooms = rooms_without_operations()
    for addition in additions:
        for steps in read_steps(addition.page, addition.section).values():
            for path, _, _, _ in steps:
                for room in [r for r in rooms if is_changed_by(path, r, rooms[r])]:
                    del rooms[room]
    archives = {room: os.path.join(build, f"lib{room}.a") for room in rooms}
    subprocess.run(["ninja", "-C", build, *rooms], check=True, stdout=subprocess.DEVNULL)
    # The rooms use messages, also where those are compiled here.
    protos = [] if "xla_protos" in rooms else ["$<TARGET_FILE:xla_protos>"]
    group = ",".join(["-Wl", "--start-group", *archives.values(), *protos, "${XYLEM_LAPACK}",
                      "--end-group"])
    # xla_protos is the last of the rooms on a command line that links; the system's libraries follow.
    # LAPACK needs our BLAS before its own archive.
    return (f"foreach(room {' '.join(rooms)})\n"
            "  set_target_properties(${room} PROPERTIES SOURCES ${PROJECT_BINARY_DIR}/pch/pch.cc)\n"
            "endforeach()\n"
            f'set_target_properties(xla_protos PROPERTIES INTERFACE_LINK_LIBRARIES "{group};protobuf::libprotobuf")\n'
            "set_target_properties(xylem_lapack PROPERTIES INTERFACE_LINK_LIBRARIES\n"
            f'    "-Wl,--whole-archive,{archives["xla_blas"]},--no-whole-archive;${{XYLEM_LAPACK}};m")\n')


def build_and_run(additions, folder, jobs, prebuilt):
    tree, build = os.path.join(folder, "tree"), os.path.join(folder, "build")
    copy_tree(tree, sorted({path for addition in additions for path in addition.tests}))
    # Each of them, so that all errors are printed.
    if not all([apply_steps(addition, tree, write=True) for addition in additions]):
        return 1
    targets = []
    with open(os.path.join(tree, "CMakeLists.txt"), "a", encoding="utf-8") as f:
        for addition in additions:
            f.write("\n" + addition.cmake)
            targets += re.findall(r"add_executable\((\w+)", addition.cmake)
        if prebuilt:
            f.write("\n" + take_rooms(additions, os.path.abspath(prebuilt)))
    start = time.monotonic()
    flags = ["-DCMAKE_BUILD_TYPE=Quick", "-DCMAKE_CXX_FLAGS_QUICK=-O0 -DNDEBUG",
             "-DXYLEM_UNITY=ON", "-DXYLEM_PCH=ON", "-DXYLEM_TESTS=OFF"]
    for command in [["cmake", "-S", tree, "-B", build, "-G", "Ninja", *flags],
                    ["ninja", "-C", build, f"-j{jobs}", *targets]]:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            print(done.stdout[-8000:], file=sys.stderr)
            return 1
    print(f"built in {time.monotonic() - start:.0f} s")
    code = 0
    for addition in additions:
        names = {"build": build, "tree": tree, **names_of(addition)}
        for command in addition.commands:
            code |= subprocess.run([word.format(**names) for word in command]).returncode
    return 1 if code else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", metavar="operation|strategy",
                        help="what is added; the default is all")
    parser.add_argument("--steps", action="store_true")
    parser.add_argument("--build", help="a build folder of this tree")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    unknown = set(arguments.what) - set(ADDITIONS)
    if unknown:
        parser.error(f"there is no {', '.join(sorted(unknown))}")
    additions = [ADDITIONS[name] for name in arguments.what or ADDITIONS]
    if arguments.steps:
        return 0 if all([apply_steps(addition, ROOT, write=False) for addition in additions]) else 1
    with tempfile.TemporaryDirectory(prefix="xylem-additions-") as folder:
        return build_and_run(additions, folder, arguments.jobs, arguments.build)


if __name__ == "__main__":
    sys.exit(main())
