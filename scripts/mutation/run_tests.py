# SPDX-License-Identifier: Apache-2.0
"""Runs the tests that ctest knows, for all mutants or for one."""
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time

# Tests of the tree itself, those that build, which the copied and changed sources upset, and those
# that measure.
EXCLUDED = r"^(limits|structure\.|headers\.|package|differential|jax_|addition_|op_?page)"


# A mutant may allocate, or write, without end.
LIMITS = ["prlimit", f"--as={16 << 30}", f"--fsize={1 << 30}", "--core=0", "--"]


class Test:
    def __init__(self, entry):
        self.name = entry["name"]
        self.command = entry.get("command", [])
        self.properties = {p["name"]: p["value"] for p in entry.get("properties", [])}
        self.seconds = 1.0
        # A test of a binary of many: they are run in one process.
        self.filter = None
        for k, word in enumerate(self.command):
            if word.startswith("--gtest_filter="):
                self.filter = word.split("=", 1)[1]
                self.binary = self.command[0]

    def passes(self, code, output):
        skip = self.properties.get("SKIP_RETURN_CODE")
        if skip is not None and code == int(skip):
            return True
        for pattern in self.properties.get("FAIL_REGULAR_EXPRESSION", []):
            if re.search(pattern, output):
                return False
        wanted = self.properties.get("PASS_REGULAR_EXPRESSION", [])
        good = any(re.search(p, output) for p in wanted) if wanted else code == 0
        return good != bool(self.properties.get("WILL_FAIL", False))


def cases_of(test):
    """The cases of a suite, each as a test: the fewer a mutant reaches, the sooner they are run."""
    listed = subprocess.run([*test.command, "--gtest_list_tests"], check=True, capture_output=True,
                            text=True).stdout
    for line in listed.splitlines():
        name = line.split("#")[0].strip()
        if not line.startswith(" "):
            suite = name
            continue
        command = [f"--gtest_filter={suite}{name}" if word.startswith("--gtest_filter=") else word
                   for word in test.command]
        properties = [{"name": k, "value": v} for k, v in test.properties.items()]
        yield Test({"name": f"{test.name}.{name}", "command": command, "properties": properties})


def list_tests(folder, included, excluded):
    text = subprocess.run(["ctest", "--test-dir", str(folder), "--show-only=json-v1"], check=True,
                          capture_output=True, text=True).stdout
    tests = [Test(entry) for entry in json.loads(text)["tests"]]
    tests = [test for test in tests if test.command and re.search(included, test.name)
             and not re.search(excluded, test.name) and not test.properties.get("DISABLED", False)]
    return [case for test in tests for case in (cases_of(test) if test.filter else [test])]


def execute(command, properties, timeout, extra_env):
    """Exit code and output; 124 after the timeout. The processes that it started end with it."""
    env = dict(os.environ, **extra_env)
    for setting in properties.get("ENVIRONMENT", []):
        name, _, value = setting.partition("=")
        env[name] = value
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen([*LIMITS, *command], cwd=properties.get("WORKING_DIRECTORY"), env=env,
                                   stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                                   start_new_session=True)
        try:
            code = process.wait(timeout)
        except subprocess.TimeoutExpired:
            code = 124
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
        out.seek(max(0, out.seek(0, 2) - 200000))
        return code, out.read().decode(errors="replace")


def trace_tests(tests, size, jobs, work):
    """Which mutants each test reaches; leaves out tests that fail without a mutant."""
    def trace(test):
        with tempfile.NamedTemporaryFile(dir=work) as file:
            file.truncate(size + 1)
            start = time.monotonic()
            code, output = execute(test.command, test.properties, 900,
                                   {"XYLEM_MUTANT_TRACE": file.name})
            test.seconds = time.monotonic() - start
            reached = pathlib.Path(file.name).read_bytes()
        return test, test.passes(code, output), [i for i, byte in enumerate(reached) if byte]
    reaching = collections.defaultdict(list)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for count, (test, passed, reached) in enumerate(pool.map(trace, tests)):
            if count % 200 == 199:
                print(f"  {count + 1} of {len(tests)} tests traced", flush=True)
            if not passed:
                print(f"  {test.name} fails without a mutant and is left out", flush=True)
                continue
            for number in reached:
                reaching[number].append(test)
    return reaching


def groups_of(tests):
    """Tests of one binary in one process, other tests alone; quick ones first."""
    by_binary = collections.defaultdict(list)
    alone = []
    for test in tests:
        (by_binary[test.binary] if test.filter else alone).append(test)
    groups = list(by_binary.values()) + [[test] for test in alone]
    # The fewer tests of a binary reach a mutant, the more they are about it.
    return sorted(groups, key=lambda group: sum(test.seconds for test in group))


def run_group(group, env, flags):
    seconds = 15 + 6 * sum(test.seconds for test in group)
    if group[0].filter is None:
        code, output = execute(group[0].command, group[0].properties, seconds, env)
        return group[0].passes(code, output), group[0].name
    flags.write_text("--gtest_filter=" + ":".join(test.filter for test in group) +
                     "\n--gtest_fail_fast\n--gtest_also_run_disabled_tests\n--gtest_brief=1\n")
    code, output = execute([group[0].binary, f"--gtest_flagfile={flags}"], group[0].properties,
                           seconds, env)
    failed = re.search(r"\[  FAILED  \] (\S+)", output)
    name = failed.group(1) if failed else "timeout" if code == 124 else f"exit code {code}"
    return code == 0, name


def run_mutant(number, reaching, work, budget):
    marker = work / f"inapplicable.{number}"
    marker.unlink(missing_ok=True)
    env = {"XYLEM_MUTANT": str(number), "XYLEM_MUTANT_INAPPLICABLE": str(marker),
           "TMPDIR": str(work)}
    flags = work / f"flags.{number}"
    result = {"outcome": "survived", "tests": len(reaching)}
    start = time.monotonic()
    for group in groups_of(reaching):
        if time.monotonic() - start > budget:
            result["cut"] = True
            break
        passed, by = run_group(group, env, flags)
        if not passed:
            result = {"outcome": "killed", "tests": len(reaching), "by": by}
            break
        if marker.exists():
            result["outcome"] = "inapplicable"
            break
    marker.unlink(missing_ok=True)
    flags.unlink(missing_ok=True)
    return result


def run(folder, mutants, jobs, included, excluded, work, budget=float("inf")):
    """The outcome of each mutant: killed, survived or inapplicable. After `budget` seconds no more
    tests are begun for a mutant, which then counts as a survivor."""
    work = work.resolve()
    tests = list_tests(folder, included, excluded)
    start = time.monotonic()
    reaching = trace_tests(tests, max(mutants, default=0), jobs, work)
    print(f"  {len(tests)} tests traced in {time.monotonic() - start:.0f} s", flush=True)
    outcomes = {}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        jobs_of = {pool.submit(run_mutant, n, reaching[n], work, budget): n for n in mutants}
        for done in concurrent.futures.as_completed(jobs_of):
            number = jobs_of[done]
            outcomes[number] = done.result()
            if outcomes[number]["outcome"] != "killed":
                site = mutants[number]
                print(f"  {number} {outcomes[number]['outcome']} ({outcomes[number]['tests']} "
                      f"tests): {site.path}:{site.first_line}: {site.description}", flush=True)
    return outcomes
