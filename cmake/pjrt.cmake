# SPDX-License-Identifier: Apache-2.0
# libxylem_pjrt.so: the plugin that JAX loads. It exports GetPjrtApi and nothing else, and binds its own
# symbols to itself, so that nothing meets the copies of the same libraries in other modules.
set(xylem_pjrt_exports ${CMAKE_BINARY_DIR}/package/pjrt_exports.map)
file(CONFIGURE OUTPUT ${xylem_pjrt_exports} CONTENT "{ global: GetPjrtApi; local: *; };\n")
set(xylem_pjrt_stub ${CMAKE_BINARY_DIR}/package/pjrt.cc)
file(CONFIGURE OUTPUT ${xylem_pjrt_stub} CONTENT "// Empty: the library consists of the rooms.\n")
add_library(xylem_pjrt SHARED ${xylem_pjrt_stub})
target_link_libraries(xylem_pjrt PRIVATE xla_pjrt)
target_link_options(xylem_pjrt PRIVATE
    -Wl,--version-script=${xylem_pjrt_exports} -Wl,-Bsymbolic -Wl,--build-id=sha1
    -Wl,--undefined=GetPjrtApi)
if(NOT XYLEM_SANITIZE)
  target_link_options(xylem_pjrt PRIVATE -Wl,-z,defs)
endif()
set_target_properties(xylem_pjrt PROPERTIES LINK_DEPENDS ${xylem_pjrt_exports}
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})

# A fast part of the plugin's Python tests, where there is a Python with jax and pytest: that of
# `make jax`, or -DXYLEM_JAX_PYTHON=...
set(XYLEM_JAX_PYTHON ${CMAKE_SOURCE_DIR}/build-jax/bin/python CACHE FILEPATH "A Python with jax and pytest")
mark_as_advanced(XYLEM_JAX_PYTHON)
if(XYLEM_TESTS AND NOT XYLEM_SANITIZE)
  add_test(NAME jax_programs
      COMMAND ${CMAKE_COMMAND} -DPYTHON=${XYLEM_JAX_PYTHON} -DLIBRARY=$<TARGET_FILE:xylem_pjrt>
              -DSOURCE=${CMAKE_SOURCE_DIR} -P ${CMAKE_SOURCE_DIR}/python/tests/run.cmake)
  set_tests_properties(jax_programs PROPERTIES TIMEOUT 600 SKIP_REGULAR_EXPRESSION "^skipped: ")
endif()
