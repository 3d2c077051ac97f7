# SPDX-License-Identifier: Apache-2.0
# Custom calls from shared libraries, written in C, which checks that the interface is C.
enable_language(C)
foreach(name sample_calls other_version no_entry)
  add_library(${name} MODULE ${PROJECT_SOURCE_DIR}/tests/custom_calls/${name}.c)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_options(${name} PRIVATE -Wall -Wextra -pedantic)
  set_target_properties(${name} PROPERTIES C_STANDARD 99 C_EXTENSIONS OFF
      LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/custom_calls)
endforeach()
if(TARGET test_custom_calls)
  add_dependencies(test_custom_calls sample_calls other_version no_entry)
  target_compile_definitions(test_custom_calls PRIVATE
      XYLEM_SAMPLE_CALLS="$<TARGET_FILE:sample_calls>"
      XYLEM_OTHER_VERSION="$<TARGET_FILE:other_version>"
      XYLEM_NO_ENTRY="$<TARGET_FILE:no_entry>")
endif()

if(TARGET xylem)
  set(program ${PROJECT_SOURCE_DIR}/tests/custom_calls/scale.hlo)
  add_test(NAME custom_calls.run_with_library
           COMMAND xylem run --custom-calls $<TARGET_FILE:sample_calls> ${program})
  set_tests_properties(custom_calls.run_with_library PROPERTIES
      PASS_REGULAR_EXPRESSION "f32\\[4\\] {1.5, 3, 4.5, 6}")
  add_test(NAME custom_calls.test_with_library
           COMMAND xylem test --custom-calls $<TARGET_FILE:sample_calls> ${program})
  add_test(NAME custom_calls.run_without_library COMMAND xylem run ${program})
  set_tests_properties(custom_calls.run_without_library PROPERTIES PASS_REGULAR_EXPRESSION
      "No registered implementation for untyped custom call to halves for Host .instruction halved.; registered are: none")
  add_test(NAME custom_calls.run_with_other_version
           COMMAND xylem run --custom-calls $<TARGET_FILE:other_version> ${program})
  set_tests_properties(custom_calls.run_with_other_version PROPERTIES
      PASS_REGULAR_EXPRESSION "made for version 2.7 of the custom-call interface")
  add_test(NAME custom_calls.run_without_entry
           COMMAND xylem run --custom-calls $<TARGET_FILE:no_entry> ${program})
  set_tests_properties(custom_calls.run_without_entry PROPERTIES
      PASS_REGULAR_EXPRESSION "does not export xylem_custom_calls")
endif()

# The tutorial program, and the installed package, used through CMake and through pkg-config.
add_test(NAME examples.local_client COMMAND local_client)
set_tests_properties(examples.local_client PROPERTIES
    PASS_REGULAR_EXPRESSION "f32\\[4\\] {4, 9, 16, 25},\nf32\\[4\\] {2, 3, 4.00000048, 5.00002289}")

# The consumer of the package is not built with sanitizers.
if(NOT XYLEM_SANITIZE)
  foreach(step install cmake pkg_config symbols interface uninstall subdirectory)
    add_test(NAME package.${step}
        COMMAND ${CMAKE_COMMAND} -DSTEP=${step} -DSOURCE=${PROJECT_SOURCE_DIR}
                -DBUILD=${PROJECT_BINARY_DIR} -DVERSION=${PROJECT_VERSION} -DNM=${CMAKE_NM}
                -DCXX=${CMAKE_CXX_COMPILER} -DGENERATOR=${CMAKE_GENERATOR} "-DABSL_LOG=${XYLEM_PC_LOG}"
                -P ${PROJECT_SOURCE_DIR}/tests/package/package_test.cmake)
    set_tests_properties(package.${step} PROPERTIES TIMEOUT 900 COST 100)
    if(step STREQUAL "install")
      set_tests_properties(package.install PROPERTIES FIXTURES_SETUP installed)
    elseif(step STREQUAL "uninstall")
      set_tests_properties(package.uninstall PROPERTIES FIXTURES_CLEANUP installed)
    elseif(NOT step STREQUAL "subdirectory")
      set_tests_properties(package.${step} PROPERTIES FIXTURES_REQUIRED installed)
    endif()
  endforeach()
  set_tests_properties(package.pkg_config PROPERTIES SKIP_REGULAR_EXPRESSION "skipped: ")
endif()
