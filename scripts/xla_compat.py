#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles XLA's own tests against the installed package, runs them, and prints a table.

    scripts/xla_compat.py --xla XLA_SOURCES --prefix PREFIX --work FOLDER [--only REGEX] [--report FILE]

XLA_SOURCES is a copy of XLA's repository. Test sources are compiled unchanged; what stands in for test
infrastructure (fixtures, matchers, logging, benchmarks) is tests/xla_compat. XLA's own reference_util and
tables of samples are taken from its sources: they are code written for XLA too. PREFIX is where the
package is installed (cmake --install BUILD --prefix PREFIX).

For each file the table states whether it compiles unchanged, or the first error, and the cases that
pass, fail and are skipped (by the test itself), or that the program crashed.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
STANDINS = "tests/xla_compat/"

# Files of the set that test parts of XLA that a user of its library does not see, with the reason.
EXCLUDED = {
    "xla/autotune_result_wrapper_test.cc": "autotuner of XLA's GPU compiler",
    "xla/online_topsort_test.cc": "a data structure of XLA's GPU scheduler",
    "xla/sort_json_test.cc": "a helper of XLA's GPU autotuner",
    "xla/tests/buffer_donation_test.cc": "memory of StreamExecutor",
    "xla/tests/collective_pipeliner_execution_test.cc": "a pass of XLA, and its pass pipeline",
    "xla/tests/constraint_propagator_test.cc": "XLA's generator of test arguments itself",
    "xla/tests/convolution_cudnn_test.cc": "cuDNN",
    "xla/tests/get_default_platform_test.cc": "an environment variable of XLA's test environment",
    "xla/tests/literal_test_util_test.cc": "XLA's test assertions themselves",
    "xla/tests/reduce_window_rewriter_execution_test.cc": "the text that passes of XLA produce",
    "xla/tests/rng_test.cc": "that XLA's compilers need its expander passes",
    "xla/tests/sample_file_test.cc": "how XLA's tests find a plugin",
}

# Files whose rules in XLA ask for several devices.
DEVICES = {"xla/tests/multiple_devices_on_host_test.cc": "4"}

# Files that need XLA_SOURCES beyond their own text.
FROM_XLA = ["xla/reference_util.h", "xla/tests/complex_unary_op_samples.h", "xla/tests/conv_depthwise_common.h"]
SOURCES_FROM_XLA = ["xla/reference_util.cc", "xla/tests/conv_depthwise_common.cc"]
PROTOS_FROM_XLA = ["xla/service/test_compilation_environment"]

# Headers that --pch reads once.
PRECOMPILED = ["<gmock/gmock.h>", "<gtest/gtest.h>", '"tests/xla_compat/client_library_test_base.h"',
               '"tests/xla_compat/hlo_test_base.h"', '"tests/xla_compat/literal_test_util.h"',
               '"tests/xla_compat/logging.h"', '"xla/array2d.h"', '"xla/array3d.h"', '"xla/array4d.h"',
               '"xla/hlo/builder/lib/arithmetic.h"', '"xla/hlo/builder/xla_builder.h"',
               '"xla/hlo/ir/hlo_module.h"', '"xla/literal_util.h"', '"xla/service/hlo.pb.h"',
               '"xla/xla.pb.h"']

# Include path -> stand-in of tests/xla_compat, or None for an empty header.
MAPPED = {
    "xla/tests/hlo_pjrt_test_base.h": "hlo_test_base.h",
    "xla/tests/hlo_test_base.h": "hlo_test_base.h",
    "xla/tests/hlo_runner_agnostic_test_base.h": "hlo_test_base.h",
    "xla/tests/hlo_runner_agnostic_reference_mixin.h": "hlo_test_base.h",
    "xla/tests/hlo_pjrt_interpreter_reference_mixin.h": "hlo_test_base.h",
    "xla/tests/hlo_interpreter_reference_mixin.h": "hlo_test_base.h",
    "xla/tests/pjrt_client_registry.h": "hlo_test_base.h",
    "xla/service/hlo_runner_interface.h": "hlo_test_base.h",
    "xla/hlo/testlib/hlo_hardware_independent_test_base.h": "hlo_test_base.h",
    "xla/hlo/testlib/verified_hlo_module.h": "hlo_test_base.h",
    "xla/pjrt/interpreter/interpreter_client.h": "hlo_test_base.h",
    "xla/service/hlo_runner_pjrt.h": "hlo_test_base.h",
    "xla/tests/client_library_test_runner_mixin.h": "client_library_test_base.h",
    "xla/tests/client_library_test_runner_utils.h": "client_library_test_base.h",
    "xla/tests/local_client_test_base.h": "local_client_test_base.h",
    "xla/tests/literal_test_util.h": "literal_test_util.h",
    "xla/tests/xla_test_backend_predicates.h": "backend_predicates.h",
    "xla/hlo/testlib/test.h": "test_macros.h",
    "xla/hlo/testlib/test_helpers.h": "test_macros.h",
    "xla/hlo/testlib/pattern_matcher_gmock.h": "pattern_matcher_gmock.h",
    "xla/tsl/platform/test.h": "test_macros.h",
    "tsl/platform/test.h": "test_macros.h",
    "xla/tsl/lib/core/status_test_util.h": "test_macros.h",
    "absl/status/status_matchers.h": "test_macros.h",
    "xla/tsl/platform/test_benchmark.h": "benchmark.h",
    "tsl/platform/test_benchmark.h": "benchmark.h",
    "benchmark/benchmark.h": "benchmark.h",
    "absl/log/log.h": "logging.h",
    "absl/log/check.h": "logging.h",
    "absl/log/vlog_is_on.h": "logging.h",
    "absl/log/scoped_mock_log.h": "scoped_mock_log.h",
    "absl/base/nullability.h": "test_macros.h",
    "xla/tsl/util/proto/proto_matchers.h": "proto_matchers.h",
    "xla/tsl/util/proto/parse_text_proto.h": "proto_matchers.h",
    "xla/tsl/platform/env.h": "environment.h",
    "tsl/platform/env.h": "environment.h",
    "xla/tsl/platform/threadpool.h": "thread_pool.h",
    "xla/tsl/platform/subprocess.h": "environment.h",
    "tsl/platform/blocking_counter.h": "thread_pool.h",
    "tsl/platform/path.h": "environment.h",
    "ml_dtypes/include/float8.h": "ml_dtypes.h",
    "xla/pjrt/pjrt_client.h": "hlo_test_base.h",
    "xla/tests/aot_utils.h": "hlo_test_base.h",
    "absl/synchronization/mutex.h": "mutex.h",
    "tsl/platform/platform.h": "platform.h",
    "xla/hlo/analysis/tuple_points_to_analysis.h": "evaluator_analyses.h",
    "xla/service/dynamic_dimension_inference.h": "evaluator_analyses.h",
    "xla/hlo/transforms/simplifiers/hlo_element_type_converter.h": "evaluator_analyses.h",
    "xla/hlo/transforms/despecializer.h": "reference_passes.h",
    "xla/hlo/transforms/simplifiers/float_normalization.h": "reference_passes.h",
    "xla/stream_executor/device_description.h": None,  # included by tests that do not use it
}


def test_set(xla):
    """The files of the set, relative to XLA's sources."""
    files = []
    for pattern in ("xla/*_test.cc", "xla/client/*_test.cc", "xla/hlo/builder/*_test.cc",
                    "xla/hlo/builder/lib/*_test.cc"):
        files += sorted(xla.glob(pattern))
    for name in ("hlo/evaluator/hlo_evaluator_test.cc", "hlo/evaluator/hlo_evaluator_sparsity_test.cc",
                 "hlo/parser/hlo_lexer_test.cc", "hlo/parser/hlo_parser_test.cc",
                 "service/hlo_verifier_test.cc", "service/shape_inference_test.cc"):
        files.append(xla / "xla" / name)
    files += sorted(xla.glob("xla/tests/*_test.cc"))
    return [str(f.relative_to(xla)) for f in files]


class Compat:
    def __init__(self, args):
        self.args = args
        self.xla = pathlib.Path(args.xla).resolve()
        self.work = pathlib.Path(args.work).resolve()
        self.include = self.work / "include"
        self.write_forwarders()
        flags = ["-std=c++20", "-O1", "-g0", "-w", "-I" + str(self.include), "-I" + str(ROOT / "tests/xla_compat")]
        if args.tree:
            flags += ["-isystem", str(ROOT), "-isystem", args.gen]
        else:
            flags += ["-isystem", str(pathlib.Path(args.prefix) / "include/xylem")]
        flags += ["-isystem", "/usr/include/eigen3"]
        self.flags = flags + shlex.split(args.flags)
        self.newest_header = self.newest([ROOT / STANDINS, pathlib.Path(args.prefix or ROOT) / "include"])
        if args.pch:
            self.precompile()

    def newest(self, folders):
        """When the last of the headers in these folders changed."""
        return max((f.stat().st_mtime for folder in folders for f in folder.rglob("*.h")), default=0)

    def is_fresh(self, output, source):
        """Was the output made, by an earlier run, of what there is now?"""
        return (self.args.keep and output.exists()
                and output.stat().st_mtime > max(self.newest_header, source.stat().st_mtime))

    def write_forwarders(self):
        def write(path, text):
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists() or path.read_text() != text:
                path.write_text(text)

        for include, standin in MAPPED.items():
            text = "#pragma once\n"
            if include.startswith("absl/synchronization"):  # adds to the header of this name
                text += "#include_next <%s>\n" % include
            if standin:
                text += '#include "%s"\n' % (STANDINS + standin)
            write(self.include / include, text)
        for proto in PROTOS_FROM_XLA:
            subprocess.run(["protoc", "--cpp_out=" + str(self.include), "-I" + str(self.xla), proto + ".proto"], check=True)
        for header in FROM_XLA:
            write(self.include / header, '#pragma once\n#include "%s"\n' % (self.xla / header))
        for header in (ROOT / STANDINS).glob("*.h"):
            write(self.include / STANDINS / header.name, '#pragma once\n#include "%s"\n' % header)

    def precompile(self):
        """What most files include, read once. Each file still has to include what it needs: its own
        includes must exist, but one that it lacks may go unnoticed."""
        header = self.work / "common.h"
        output = self.work / "common.pch"
        self.flags += ["-include-pch", str(output)]
        if self.is_fresh(output, ROOT / "scripts/xla_compat.py"):
            return
        header.write_text("".join("#include %s\n" % name for name in PRECOMPILED))
        done = self.run(shlex.split(self.args.compiler) + self.flags[:-2] + ["-fpch-instantiate-templates",
                        "-x", "c++-header", str(header), "-o", str(output)], 1800)
        if done.returncode != 0:
            sys.exit("precompiled header: " + done.stdout)

    def run(self, command, timeout):
        try:
            return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  errors="replace", timeout=timeout, cwd=self.work)
        except subprocess.TimeoutExpired as late:
            return subprocess.CompletedProcess(command, -999, str(late.stdout or ""))

    def compile(self, source, output):
        log = output.with_suffix(".log")
        if not self.args.syntax and self.is_fresh(output, source):
            return True, log
        output.unlink(missing_ok=True)
        command = shlex.split(self.args.compiler) + self.flags
        command += ["-fsyntax-only"] if self.args.syntax else ["-c", "-o", str(output)]
        command += ["-ferror-limit=0"] if "clang" in self.args.compiler else []
        done = self.run(command + [str(source)], 1800)
        log.write_text(done.stdout)
        return done.returncode == 0, log

    def first_error(self, log):
        for line in log.read_text().splitlines():
            found = re.search(r"(?:fatal )?error: (.*)", line) or re.search("undefined reference to (.*)", line)
            if found:
                return found.group(1)[:160]
        return "?"

    def test(self, name, support):
        """One file: a dict of what happened."""
        result = {"file": name, "compiled": False, "error": "", "passed": 0, "failed": 0, "skipped": 0, "crashed": False}
        stem = name.replace("/", "_").removesuffix(".cc")
        program = self.work / stem
        if not self.args.run_only:
            ok, log = self.compile(self.xla / name, self.work / (stem + ".o"))
            if not ok:
                result["error"] = self.first_error(log)
                return result
            if self.args.syntax or self.args.compile_only:
                result["compiled"] = True
                return result
            link = shlex.split(self.args.compiler) + ["-o", str(program), str(self.work / (stem + ".o"))]
            link += [str(s) for s in support] + self.libraries()
            done = self.run(link, 600)
            if done.returncode != 0:
                log.write_text(done.stdout)
                result["error"] = self.first_error(log)
                return result
        elif not program.exists():
            result["error"] = "not compiled"
            return result
        result["compiled"] = True
        report = self.work / (stem + ".json")
        report.unlink(missing_ok=True)
        os.environ["XLA_SOURCE"] = str(self.xla)
        command = [str(program), "--gtest_brief=1", "--gtest_output=json:" + str(report)]
        if name in DEVICES:
            command = ["env", "XLA_FLAGS=--xla_force_host_platform_device_count=" + DEVICES[name]] + command
        done = self.run(command, self.args.timeout)
        (self.work / (stem + ".out")).write_text(done.stdout)
        if not report.exists():
            result["crashed"] = True
            result["error"] = "timeout" if done.returncode == -999 else "exit %d" % done.returncode
            return result
        for suite in json.loads(report.read_text())["testsuites"]:
            for case in suite["testsuite"]:
                if case["result"] == "SKIPPED" or case["status"] == "NOTRUN":
                    result["skipped"] += 1
                elif "failures" in case:
                    result["failed"] += 1
                else:
                    result["passed"] += 1
        return result

    def libraries(self):
        prefix = pathlib.Path(self.args.prefix)
        library = next(iter(list(prefix.glob("lib*/libxylem.so")) + list(prefix.glob("lib/*/libxylem.so"))
                            + list(prefix.glob("libxylem.so"))), None)
        if library is None:
            sys.exit("no libxylem.so under " + str(prefix))
        absl = subprocess.check_output(
            ["pkg-config", "--libs", "absl_statusor", "absl_str_format", "absl_flat_hash_map", "absl_hash", "absl_random_random",
             "absl_time", "absl_synchronization", "absl_flags_parse"], text=True).split()
        return [str(library), "-Wl,-rpath," + str(library.parent), "-lgmock", "-lgtest", "-lgtest_main", "-lprotobuf"] + absl + ["-lpthread"]

    def support(self):
        """Objects that every test links: the stand-ins, and what tests share in XLA's sources."""
        objects = []
        sources = sorted((ROOT / STANDINS).glob("*.cc")) + [self.xla / source for source in SOURCES_FROM_XLA]
        sources += [self.include / (proto + ".pb.cc") for proto in PROTOS_FROM_XLA]
        for source in sources:
            target = self.work / ("support_" + source.stem + ".o")
            ok, log = self.compile(source, target)
            if not ok:
                print("stand-in %s: %s (%s)" % (source, self.first_error(log), log), file=sys.stderr)
                if not self.args.syntax:
                    sys.exit(1)
            objects.append(target)
        return objects


def table(results):
    lines = ["| file | compiles unchanged | passed | failed | skipped |", "|---|---|---:|---:|---:|"]
    for r in results:
        if r["file"] in EXCLUDED:
            verdict = "excluded: " + EXCLUDED[r["file"]]
        else:
            verdict = "yes" if r["compiled"] else "no: `%s`" % r["error"].replace("|", "\\|")
        if r["crashed"]:
            verdict += ", crashed (%s)" % r["error"]
        lines.append("| %s | %s | %d | %d | %d |" % (r["file"], verdict, r["passed"], r["failed"], r["skipped"]))
    counted = [r for r in results if r["file"] not in EXCLUDED]
    compiled = sum(r["compiled"] for r in counted)
    passed, failed = (sum(r[k] for r in counted) for k in ("passed", "failed"))
    lines.append("")
    lines.append("%d of %d files compile unchanged (%.1f %%); %d of %d cases pass (%.2f %%); %d crashed; %d excluded."
                 % (compiled, len(counted), 100 * compiled / max(1, len(counted)), passed, passed + failed,
                    100 * passed / max(1, passed + failed), sum(r["crashed"] for r in counted),
                    len(results) - len(counted)))
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--xla", required=True, help="copy of XLA's repository")
    parser.add_argument("--prefix", default="", help="where the package is installed")
    parser.add_argument("--work", required=True, help="folder for what is compiled")
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--only", default="", help="regular expression on the file name")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--timeout", type=int, default=900, help="seconds a test program may run")
    parser.add_argument("--syntax", action="store_true", help="only check whether the files compile")
    parser.add_argument("--compile-only", action="store_true", help="make the object files alone")
    parser.add_argument("--keep", action="store_true",
                        help="keep object files of earlier runs with the same flags if no header is newer")
    parser.add_argument("--run-only", action="store_true", help="run what was compiled before")
    parser.add_argument("--tree", action="store_true", help="headers of this source tree instead of the package's")
    parser.add_argument("--gen", default=str(ROOT / "build/gen"), help="with --tree: generated headers")
    parser.add_argument("--pch", action="store_true", help="read common headers once (clang)")
    parser.add_argument("--flags", default="", help="more flags of the compiler")
    parser.add_argument("--report", default="", help="write the table to this file too")
    args = parser.parse_args()
    compat = Compat(args)
    names = [n for n in test_set(compat.xla) if re.search(args.only, n)]
    support = [] if args.syntax else compat.support()
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        results = []
        for result in pool.map(lambda n: compat.test(n, support), names):
            results.append(result)
            print("%-60s %s %d/%d/%d" % (result["file"], "ok" if result["compiled"] else result["error"],
                                        result["passed"], result["failed"], result["skipped"]), file=sys.stderr, flush=True)
    text = table(results)
    print(text)
    if args.report:
        pathlib.Path(args.report).write_text(text)


if __name__ == "__main__":
    main()
