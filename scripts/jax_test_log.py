# SPDX-License-Identifier: Apache-2.0
"""A pytest plugin of run_jax_tests.py: logs each case as it begins and ends, so that a crash or a
time-out loses nothing.

XYLEM_TEST_LOG names the log, of lines of JSON: ["begin", case] and [result, case, message].
XYLEM_TEST_DONE may name a file of cases that are left out, XYLEM_TEST_ONLY one of those that run;
XYLEM_TEST_STRIDE=n takes every n-th case from XYLEM_TEST_OFFSET on, JAX_TEST_DUT=cpu has the tests expect that platform.
"""

import json
import os
import pathlib


def _cases(variable):
  path = os.environ.get(variable)
  return set(pathlib.Path(path).read_text().splitlines()) if path else None


def _log(*entry):
  with open(os.environ["XYLEM_TEST_LOG"], "a") as log:
    log.write(json.dumps(entry) + "\n")


def pytest_collection_modifyitems(items):
  done, only = _cases("XYLEM_TEST_DONE"), _cases("XYLEM_TEST_ONLY")
  if only is None:
    # Before those that are done are left out: a process that goes on takes the same cases.
    offset = int(os.environ.get("XYLEM_TEST_OFFSET", "0"))
    items[:] = items[offset::int(os.environ.get("XYLEM_TEST_STRIDE", "1"))]
  if done is not None:
    items[:] = [item for item in items if item.nodeid not in done]
  if only is not None:
    items[:] = [item for item in items if item.nodeid in only]
  _log("collected", len(items))
  device = os.environ.get("JAX_TEST_DUT")
  if device:
    # Not earlier: the tests import test_util, which defines the option and keeps their stdout.
    import jax

    jax.config.update("jax_test_dut", device)


def pytest_runtest_logstart(nodeid, location):
  del location
  _log("begin", nodeid)


_worst = {}


def pytest_runtest_logreport(report):
  if report.failed:
    crash = getattr(report.longrepr, "reprcrash", None)
    text = crash.message if crash else str(report.longrepr)
    _worst[report.nodeid] = "failed"
    _log("failed", report.nodeid, text[:1500])
  elif report.skipped:
    _worst[report.nodeid] = "skipped"
    _log("skipped", report.nodeid, str(report.longrepr)[-300:])
  if report.when == "teardown" and report.nodeid not in _worst:
    _log("passed", report.nodeid, "")
