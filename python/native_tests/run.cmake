# SPDX-License-Identifier: Apache-2.0
# Runs the tests of the package in PACKAGE with PYTHON; says so if one of them is not there. An extension
# that cannot be imported is a failure.
set(ENV{PYTHONPATH} ${PACKAGE})
set(ENV{PYTHONDONTWRITEBYTECODE} 1)
execute_process(
    COMMAND ${PYTHON} -c "import importlib.machinery as m, numpy, pytest, sys
sys.exit(m.PathFinder.find_spec('_xylem', ['${PACKAGE}/xylem']) is None)"
    RESULT_VARIABLE missing OUTPUT_QUIET ERROR_QUIET)
if(missing)
  message("skipped: ${PYTHON} has no numpy and pytest, or there is no extension for it (`make python`)")
  return()
endif()
execute_process(COMMAND ${PYTHON} -m pytest -q -p no:cacheprovider ${SOURCE}/python/native_tests
                RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "the tests failed")
endif()
