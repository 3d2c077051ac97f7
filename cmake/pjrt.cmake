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
  foreach(platform xylem cpu)
    add_test(NAME jax_programs_${platform}
        COMMAND ${CMAKE_COMMAND} -DPYTHON=${XYLEM_JAX_PYTHON} -DLIBRARY=$<TARGET_FILE:xylem_pjrt>
                -DPLATFORM=${platform} -DSOURCE=${CMAKE_SOURCE_DIR}
                -P ${CMAKE_SOURCE_DIR}/python/tests/run.cmake)
    set_tests_properties(jax_programs_${platform} PROPERTIES
        TIMEOUT 900 SKIP_REGULAR_EXPRESSION "^skipped: ")
  endforeach()

  # The smoke suite with each version of JAX that scripts/check_jax_versions.py has installed.
  set(XYLEM_JAX_VERSIONS ${CMAKE_SOURCE_DIR}/build-jax-versions CACHE PATH
      "A folder of virtual environments with jax and pytest")
  mark_as_advanced(XYLEM_JAX_VERSIONS)
  find_program(XYLEM_PYTHON3 NAMES python3 DOC "A Python without requirements")
  mark_as_advanced(XYLEM_PYTHON3)
  if(XYLEM_PYTHON3)
    add_test(NAME jax_versions
        COMMAND ${XYLEM_PYTHON3} ${CMAKE_SOURCE_DIR}/scripts/check_jax_versions.py --installed-only
                --folder ${XYLEM_JAX_VERSIONS} --library $<TARGET_FILE:xylem_pjrt>)
    set_tests_properties(jax_versions PROPERTIES
        TIMEOUT 7200 SKIP_REGULAR_EXPRESSION "^skipped: ")
  endif()
endif()
