# SPDX-License-Identifier: Apache-2.0
# The differential test runs the same random programs in Xylem and in XLA. XYLEM_PYTHON is a Python
# with jaxlib (`make oracle` installs one in build-xla); without jaxlib the test is skipped.
if(NOT XYLEM_PYTHON AND EXISTS ${PROJECT_SOURCE_DIR}/build-xla/bin/python)
  set(XYLEM_PYTHON ${PROJECT_SOURCE_DIR}/build-xla/bin/python CACHE FILEPATH "Python with jaxlib")
endif()
find_program(XYLEM_PYTHON NAMES python3 DOC "Python with jaxlib")
if(XYLEM_SANITIZE)
  return()  # needs the memory of two processes; the other tests run the same code
endif()
add_executable(differential_worker ${PROJECT_SOURCE_DIR}/fuzz/differential_worker.cc)
target_include_directories(differential_worker PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(differential_worker PRIVATE xla_client xla_interp xla_cpu xla_verify xla_text xylem_warnings)
xylem_use_precompiled_header(differential_worker)
set_target_properties(differential_worker PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
if(XYLEM_PYTHON)
  add_test(NAME differential COMMAND ${XYLEM_PYTHON} ${PROJECT_SOURCE_DIR}/fuzz/differential/main.py
      --worker $<TARGET_FILE:differential_worker> --programs 2000 --invalid 1000
      --findings ${PROJECT_BINARY_DIR}/differential)
  # 77: no jaxlib.
  # The longest tests start first, so that none runs alone at the end.
  set_tests_properties(differential PROPERTIES TIMEOUT 1800 SKIP_RETURN_CODE 77 COST 300)
  # What programs of the search for cliffs compute once they are fused: the same on every machine.
  add_test(NAME cliffs_work COMMAND ${XYLEM_PYTHON} ${PROJECT_SOURCE_DIR}/fuzz/cliffs/main.py
      --work $<TARGET_FILE:xylem> --programs 80 --sizes 2)
  set_tests_properties(cliffs_work PROPERTIES TIMEOUT 1800 SKIP_RETURN_CODE 77 COST 100)
endif()
