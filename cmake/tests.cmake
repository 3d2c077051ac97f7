# SPDX-License-Identifier: Apache-2.0
# tests/<room>/*_test.cc -> the binary test_<room>; tests/{hlo,documents}/*.hlo -> the test hlo_programs.
find_package(GTest REQUIRED)
include(GoogleTest)

# A folder's tests link its own room (and the text parser), so that they build while others do not.
set(test_uses_base xla_base)
set(test_uses_types xla_base)
set(test_uses_mlir xla_mlir)
set(test_uses_stablehlo xla_stablehlo)
set(test_uses_ir xla_ir)
set(test_uses_infer xla_infer xla_text)
set(test_uses_shape_inference xla_infer xla_text)
set(test_uses_text xla_text)
set(test_uses_proto xla_proto xla_text)
set(test_uses_verify xla_verify xla_text)
set(test_uses_verifier xla_verify xla_text)
set(test_uses_kernels xla_kernels)
set(test_uses_interp xla_interp xla_verify xla_text)
set(test_uses_interpreter xla_interp xla_text)
set(test_uses_passes xla_passes xla_interp xla_verify xla_text)
set(test_uses_builder xla_builder xla_interp xla_verify xla_text)
set(test_uses_runtime xla_runtime)
set(test_uses_models xylem_tools)
set(test_uses_custom_calls xla_interp xla_verify xla_text)
set(test_uses_client xla_client xla_interp xla_text)
set(test_uses_documents xla_builder xla_interp xla_verify xla_text)

file(GLOB entries LIST_DIRECTORIES true CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/*)
foreach(entry ${entries})
  if(NOT IS_DIRECTORY ${entry})
    continue()
  endif()
  get_filename_component(room ${entry} NAME)
  file(GLOB sources CONFIGURE_DEPENDS ${entry}/*_test.cc)
  if(NOT sources)
    continue()
  endif()
  if(NOT DEFINED test_uses_${room})
    set(test_uses_${room} xylem_tools xylem_all)
  endif()
  add_executable(test_${room} ${sources})
  target_include_directories(test_${room} PRIVATE ${CMAKE_SOURCE_DIR})
  target_compile_definitions(test_${room} PRIVATE XYLEM_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  target_link_libraries(test_${room} PRIVATE
      ${test_uses_${room}} GTest::gtest GTest::gtest_main xylem_warnings)
  xylem_use_precompiled_header(test_${room})
  # Joined files share one anonymous namespace: what two tests of a room name is in a header there.
  if(XYLEM_UNITY)
    set_target_properties(test_${room} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  endif()
  # A test runs once: quicker to compile is quicker to know. (The library under test is at -O2.)
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    target_compile_options(test_${room} PRIVATE -O1)
  endif()
  gtest_discover_tests(test_${room} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 120
      WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} TEST_PREFIX "${room}." PROPERTIES TIMEOUT 300)
endforeach()

# Programs that check themselves through check.expect_* custom calls.
file(GLOB programs CONFIGURE_DEPENDS
    ${CMAKE_SOURCE_DIR}/tests/hlo/*.hlo ${CMAKE_SOURCE_DIR}/tests/documents/*.hlo)
if(programs AND TARGET xylem)
  add_test(NAME hlo_programs COMMAND xylem test ${programs})
  set_tests_properties(hlo_programs PROPERTIES TIMEOUT 600)
endif()

# The examples of docs/operations.md, and what they say of each operation.
if(operation_programs AND TARGET xylem)
  add_test(NAME operation_examples COMMAND xylem test ${operation_programs})
  add_test(NAME operation_coverage COMMAND xylem ops --coverage)
  set_tests_properties(operation_examples operation_coverage PROPERTIES TIMEOUT 600)
endif()

# The steps of docs/hacking.md that add an operation can be applied; `make new-operation` builds the result.
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND)
  add_test(NAME new_operation_steps
           COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/scripts/check_new_operation.py --steps)
endif()

# Reference programs: kernels to whole networks, each against XLA's sampled results.
file(GLOB programs LIST_DIRECTORIES true CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/programs/*)
if(XYLEM_SANITIZE)
  # The largest take minutes there; the others run the same code.
  list(FILTER programs EXCLUDE REGEX "/(gpt2s_fwd_128|resnet50_b4|mandelbrot|rng_uniform|transpose2d)$")
endif()
if(programs AND TARGET xylem)
  add_test(NAME reference_programs COMMAND xylem check ${programs})
  set_tests_properties(reference_programs PROPERTIES TIMEOUT 900)
endif()

include(cmake/client_tests.cmake)
include(cmake/differential.cmake)
