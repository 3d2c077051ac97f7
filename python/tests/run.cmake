# SPDX-License-Identifier: Apache-2.0
# Runs the Python tests on the plugin LIBRARY with PYTHON, under the name PLATFORM; says so if PYTHON
# has no jax or pytest.
set(ENV{PYTHONPATH} ${SOURCE}/python)
set(ENV{XYLEM_PJRT_LIBRARY} ${LIBRARY})
set(ENV{JAX_PLATFORMS} ${PLATFORM})
set(ENV{XYLEM_PLATFORM_NAME} ${PLATFORM})
set(ENV{PYTHONDONTWRITEBYTECODE} 1)
execute_process(COMMAND ${PYTHON} -c "import jax, pytest" RESULT_VARIABLE missing OUTPUT_QUIET ERROR_QUIET)
if(missing)
  message("skipped: ${PYTHON} has no jax and pytest (`make jax` installs them)")
  return()
endif()
execute_process(COMMAND ${PYTHON} -m pytest -q -p no:cacheprovider -W ignore ${SOURCE}/python/tests
                RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "the tests failed")
endif()
