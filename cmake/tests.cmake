# SPDX-License-Identifier: Apache-2.0
# tests/<room>/*_test.cc and random_*.cc -> the binary test_<room>; tests/{hlo,documents}/*.hlo -> the test hlo_programs.
find_package(GTest REQUIRED)
find_package(ZLIB REQUIRED)  # archives made field by field
set(XYLEM_TEST_TREE ${PROJECT_SOURCE_DIR} CACHE PATH "The tree whose programs and documents the tests read")
mark_as_advanced(XYLEM_TEST_TREE)

# The tests of a folder link only its own room and the text parser, so that they build without the
# other rooms.
set(test_uses_base xla_base)
set(test_uses_types xla_base)
set(test_uses_mlir xla_mlir)
set(test_uses_stablehlo xla_stablehlo xla_verify xla_text)
set(test_uses_ir xla_ir)
set(test_uses_infer xla_infer xla_text)
set(test_uses_shape_inference xla_infer xla_text)
set(test_uses_dimensions xla_dimensions xla_text)
set(test_uses_propagation xla_propagation xla_stablehlo xla_text)
set(test_uses_text xla_text xla_parser)
set(test_uses_proto xla_proto xla_text)
set(test_uses_verify xla_verify xla_text)
set(test_uses_verifier xla_verify xla_text)
set(test_uses_kernels xla_kernels)
set(test_uses_lapack xla_lapack xla_text)
set(test_uses_blas xylem_lapack)
set(test_uses_interp xla_interp xla_verify xla_text)
set(test_uses_interpreter xla_interp xla_text)
set(test_uses_passes xla_passes xla_interp xla_verify xla_text)
set(test_uses_builder xla_value_inference xla_builder xla_interp xla_verify xla_text)
set(test_uses_spmd xla_spmd xla_stablehlo xla_interp xla_verify xla_text)
set(test_uses_runtime xla_runtime)
set(test_uses_distributed xla_distributed xla_cpu xla_interp xla_verify xla_text)
set(test_uses_debugging xla_debugging xla_text)
set(test_uses_models xylem_tools)
set(test_uses_custom_calls xla_interp xla_verify xla_text)
set(test_uses_evaluator xla_evaluator xla_text)
set(test_uses_loader xla_loader)
set(test_uses_client xla_client xla_interp xla_text)
set(test_uses_external_calls xla_client xla_text)
set(test_uses_pjrt xla_pjrt xla_text ${CMAKE_DL_LIBS})
set(test_uses_guest xla_protos ${XYLEM_ABSL})
set(test_uses_documents xla_builder xla_interp xla_verify xla_text)
set(test_uses_coverage xylem_op_coverage)
set(test_uses_tools xylem_tools ZLIB::ZLIB)
set(test_uses_aot xla_aot xla_interp xla_loader xla_verify xla_text)
set(test_uses_variants xylem_tools xylem_all xla_pjrt xla_value_inference)
set(test_uses_structure xylem_source_tree)

# What each operation supports, derived from its example; also writes docs/operations.md.
xylem_room(xylem_op_coverage UNITY FOLDERS tests/coverage EXCEPT tests/coverage/main.cc
           USES xylem_tools)
add_executable(op_coverage tests/coverage/main.cc)
target_link_libraries(op_coverage PRIVATE xylem_op_coverage xylem_warnings)
set_target_properties(op_coverage PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})

# Checks of the source tree itself: includes, sizes.
xylem_room(xylem_source_tree FOLDERS tests/structure USES absl::status absl::statusor absl::strings)

if(CMAKE_BUILD_TYPE STREQUAL "Release" OR XYLEM_SANITIZE)
  xylem_precompiled_header(xylem_pch_of_tests -O0)
endif()

# main() of all of them.
add_library(xylem_test_main OBJECT ${PROJECT_SOURCE_DIR}/tests/test_main.cc)
target_include_directories(xylem_test_main PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(xylem_test_main PRIVATE xla_base GTest::gtest xylem_warnings)

# With sanitizers: not what measures time or counts allocations, on programs that other tests run, nor what repeats
# other tests for more threads or at a size where only growth is new. ThreadSanitizer has nothing to say about sweeps
# over types and layouts on one thread, which would take two thirds of its time.
set(sanitizer_filter "-*LinearTime*:SteadyStateTest.ReferenceProgramsTakeNoMemory:CheckTest.LimitsAreNearObservedErrors*")
string(APPEND sanitizer_filter ":Graph.AMillionInstructions*:SharedPartsTest.*Bounded:ThreadsTest/*.SameBits"
                               ":*Threads.SameBitsForAnyNumber/*")
# Sweeps that compile hundreds of programs each: the time goes to LLVM, which is not instrumented, and the code that
# it makes is not, either.
foreach(sweep RaggedRowsTest.ShortRowsThatAreReducedSideBySide RaggedRowsTest.ExtremesFindNanAtEveryPlace
        RaggedRowsTest.Transposes ShortRowsTest.Windows RandomChainTest.BothBackendsGiveTheSame
        NestedComputationTest.EveryElementTypePassesThrough NestedComputationTest.EveryOperationRunsWhereItIsApplied
        NestedComputationTest.ErrorsOfStepsAreThoseOfTheRun NestedComputationTest.DevicesCombineByAnyFunction
        NumberTypesTest.VectorsAreConvertedAsSingleNumbersAre BranchUpdatesTest.RandomNestsOfBranchesAndLoops
        CpuPipeline.DoesNotDependOnMetadata *AppliedBodyTest.*)
  string(APPEND sanitizer_filter ":${sweep}")
endforeach()
if(XYLEM_SANITIZE STREQUAL "thread")
  string(APPEND sanitizer_filter ":InterpreterTypes.*:InterpreterLayouts.*:StridedCopyTest.*")
endif()

file(GLOB entries LIST_DIRECTORIES true CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/*)
foreach(entry ${entries})
  if(NOT IS_DIRECTORY ${entry})
    continue()
  endif()
  get_filename_component(room ${entry} NAME)
  file(GLOB sources CONFIGURE_DEPENDS ${entry}/*_test.cc ${entry}/random_*.cc)
  if(NOT sources)
    continue()
  endif()
  if(NOT DEFINED test_uses_${room})
    set(test_uses_${room} xylem_tools xylem_all)
  endif()
  add_executable(test_${room} ${sources} $<TARGET_OBJECTS:xylem_test_main>)
  target_include_directories(test_${room} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_definitions(test_${room} PRIVATE XYLEM_SOURCE_DIR="${XYLEM_TEST_TREE}")
  target_link_libraries(test_${room} PRIVATE
      ${test_uses_${room}} xla_base GTest::gtest xylem_warnings)
  # Most tests run once, and half of the time to compile them is optimization; the library under test has -O2. These
  # compute expected values in loops.
  if(room MATCHES "^(base|blas|cpu|interp|kernels|lapack)$" OR NOT TARGET xylem_pch_of_tests)
    xylem_compile_quickly(test_${room})
  else()
    target_compile_options(test_${room} PRIVATE -O0)
    xylem_use_precompiled_header(test_${room} xylem_pch_of_tests)
  endif()
  # Joined files share one anonymous namespace, so definitions that two tests use belong in a header.
  if(XYLEM_UNITY AND NOT XYLEM_UNITY STREQUAL "ROOMS")
    set_target_properties(test_${room} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  endif()
  if(XYLEM_SANITIZE)
    # A process for each test would spend a quarter of the time on starting.
    foreach(part RANGE 1 4)
      math(EXPR index "${part} - 1")
      add_test(NAME ${room}.${part}of4 COMMAND test_${room} --gtest_brief=1
               WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
      set_tests_properties(${room}.${part}of4 PROPERTIES TIMEOUT 1200 SKIP_RETURN_CODE 77
          ENVIRONMENT "GTEST_TOTAL_SHARDS=4;GTEST_SHARD_INDEX=${index};GTEST_FILTER=${sanitizer_filter}")
      # The longest first, so that none runs alone at the end.
      if(room MATCHES "^(cpu|kernels|blas|tools|lapack|interp)$")
        set_tests_properties(${room}.${part}of4 PROPERTIES COST 50)
      endif()
    endforeach()
  else()
    set(suites ${PROJECT_BINARY_DIR}/test_suites/${room})
    file(GENERATE OUTPUT ${suites}.cmake CONTENT
        "include(\"${PROJECT_SOURCE_DIR}/cmake/gtest_suites.cmake\")
xylem_add_suites(${room} \"$<TARGET_FILE:test_${room}>\" \"${PROJECT_SOURCE_DIR}\" \"${suites}.txt\")
")
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${suites}.cmake)
  endif()
endforeach()

if(TARGET test_distributed)
  target_compile_definitions(test_distributed PRIVATE XYLEM_ENGINE_FOLDER="${PROJECT_BINARY_DIR}")
endif()
# Run several processes.
foreach(room distributed pjrt client)
  if(TARGET test_${room})
    add_dependencies(test_${room} xylem_engines)
  endif()
endforeach()
if(TARGET test_pjrt)
  add_dependencies(test_pjrt xylem_pjrt)
  target_compile_definitions(test_pjrt PRIVATE XYLEM_PJRT_LIBRARY="$<TARGET_FILE:xylem_pjrt>")
  if(XYLEM_SANITIZE)
    target_compile_definitions(test_pjrt PRIVATE XYLEM_SANITIZED)
  endif()
endif()

# Links C programs with libraries that it compiles.
if(TARGET test_aot)
  file(GLOB helpers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/aot/*.cc)
  list(FILTER helpers EXCLUDE REGEX "_test\\.cc$")
  target_sources(test_aot PRIVATE ${helpers})
  add_dependencies(test_aot xylem_runtime)
  target_include_directories(test_aot SYSTEM PRIVATE ${XYLEM_LLVM_INCLUDE})
  set(test_cc cc)
  if(XYLEM_SANITIZE)
    set(test_cc "cc -fsanitize=${XYLEM_SANITIZE}")
  endif()
  target_compile_definitions(test_aot PRIVATE
      XYLEM_RUNTIME_LIBRARY="$<TARGET_FILE:xylem_runtime>" XYLEM_TEST_CC="${test_cc}")
endif()

if(TARGET test_tools AND TARGET xylem)
  add_dependencies(test_tools xylem alloc_faults)
  target_compile_definitions(test_tools PRIVATE
      XYLEM_BINARY="$<TARGET_FILE:xylem>" XYLEM_TEST_VERSION="${PROJECT_VERSION}"
      XYLEM_ALLOC_FAULTS="$<TARGET_FILE:alloc_faults>")
endif()

if(TARGET test_cpu)
  # For the headers that emit code.
  target_include_directories(test_cpu SYSTEM PRIVATE ${XYLEM_LLVM_INCLUDE})
endif()
# Plans of reshards, for scripts/shardy_reshard.py.
if(TARGET xla_spmd)
  add_executable(reshard_plans EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/tests/spmd/reshard_plans.cc)
  target_include_directories(reshard_plans PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(reshard_plans PRIVATE xla_spmd xla_text xylem_warnings)
  set_target_properties(reshard_plans PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
endif()
# Fingerprints of what the compiler makes of programs: scripts/compare_code.py.
add_library(xylem_fingerprints STATIC EXCLUDE_FROM_ALL
    ${PROJECT_SOURCE_DIR}/tests/fingerprints/compiled_text.cc
    ${PROJECT_SOURCE_DIR}/tests/fingerprints/programs.cc
    ${PROJECT_SOURCE_DIR}/tests/cpu/random_chain.cc
    ${PROJECT_SOURCE_DIR}/tests/cpu/random_chain_operations.cc)
target_include_directories(xylem_fingerprints SYSTEM PRIVATE ${XYLEM_LLVM_INCLUDE})
target_compile_definitions(xylem_fingerprints PRIVATE XYLEM_SOURCE_DIR="${XYLEM_TEST_TREE}")
target_link_libraries(xylem_fingerprints PUBLIC xla_cpu xla_verify xla_text GTest::gtest
                      PRIVATE xylem_warnings)
xylem_use_precompiled_header(xylem_fingerprints)
add_executable(fingerprints EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/tests/fingerprints/main.cc)
target_link_libraries(fingerprints PRIVATE xylem_fingerprints xylem_warnings)
set_target_properties(fingerprints PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
xylem_use_precompiled_header(fingerprints)
if(TARGET test_variants AND TARGET xylem)
  add_dependencies(test_variants xylem)
  target_compile_definitions(test_variants PRIVATE XYLEM_BINARY_FOLDER="${PROJECT_BINARY_DIR}")
  target_link_libraries(test_variants PRIVATE xylem_fingerprints)
  # For the headers that plan and emit kernels.
  target_include_directories(test_variants SYSTEM PRIVATE ${XYLEM_LLVM_INCLUDE})
endif()

# Programs that check themselves through check.expect_* custom calls.
file(GLOB programs CONFIGURE_DEPENDS
    ${PROJECT_SOURCE_DIR}/tests/hlo/*.hlo ${PROJECT_SOURCE_DIR}/tests/documents/*.hlo)
if(programs AND TARGET xylem)
  add_test(NAME hlo_programs COMMAND xylem test --backend=interpreter ${programs})
  set_tests_properties(hlo_programs PROPERTIES TIMEOUT 600)
endif()

# The examples of docs/operations.md, and the coverage derived from them.
if(operation_programs AND TARGET xylem)
  add_test(NAME operation_examples COMMAND xylem test --backend=interpreter ${operation_programs})
  add_test(NAME operation_coverage COMMAND op_coverage)
  set_tests_properties(operation_examples operation_coverage PROPERTIES TIMEOUT 600)
endif()

# The same programs compiled.
if(operation_programs AND TARGET xylem AND XYLEM_LLVM_INCLUDE)
  foreach(threads 1 2 5)
    add_test(NAME programs.compiled.${threads}
             COMMAND xylem test --backend=cpu --threads=${threads}
                     ${programs} ${operation_programs})
    set_tests_properties(programs.compiled.${threads} PROPERTIES TIMEOUT 600)
  endforeach()
endif()

# Programs and kernels within each level of instruction sets of x86-64 machines: the newest ones run
# the code of all others, so that one machine stands for all.
if(TARGET xylem AND XYLEM_LLVM_INCLUDE AND NOT XYLEM_SANITIZE AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  file(GLOB level_programs LIST_DIRECTORIES true CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/programs/*)
  foreach(level SSE4_2 AVX2 AVX512)
    add_test(NAME levels.${level}.programs
             COMMAND xylem test --backend=cpu --max-isa=${level} ${programs} ${operation_programs})
    add_test(NAME levels.${level}.reference
             COMMAND xylem check --backend=cpu --max-isa=${level} ${level_programs})
    set(level_tests levels.${level}.programs levels.${level}.reference)
    foreach(room kernels lapack)
      # Without a bound on such a machine, `make test` runs those of AVX-512.
      if(TARGET test_${room} AND NOT level STREQUAL "AVX512")
        add_test(NAME levels.${level}.${room} COMMAND test_${room} --gtest_brief=1
                 WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
        set_tests_properties(levels.${level}.${room} PROPERTIES
            ENVIRONMENT XLA_FLAGS=--xla_cpu_max_isa=${level})
        list(APPEND level_tests levels.${level}.${room})
      endif()
    endforeach()
    set_tests_properties(${level_tests} PROPERTIES TIMEOUT 600 LABELS levels)
  endforeach()
endif()

# A program for each public bug report that was tried (tests/reports/README.md).
if(TARGET xylem)
  set(compiled OFF)
  if(XYLEM_LLVM_INCLUDE)
    set(compiled ON)
  endif()
  add_test(NAME test_reports
           COMMAND ${CMAKE_COMMAND} -DXYLEM=$<TARGET_FILE:xylem> -DCOMPILED=${compiled}
                   -P ${PROJECT_SOURCE_DIR}/tests/reports/run.cmake)
  set_tests_properties(test_reports PROPERTIES TIMEOUT 600)
endif()

# The steps of the documentation that add an operation or a strategy for kernels can be applied; `make
# new-operation` and `make new-strategy` build the result.
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND)
  add_test(NAME addition_steps
           COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/check_additions.py --steps)
endif()

# Which packages scripts/install_deps.sh asks for.
if(NOT XYLEM_SANITIZE)
  add_test(NAME install_deps COMMAND ${PROJECT_SOURCE_DIR}/tests/install/install_deps_test.sh)
endif()

# Reference programs, from kernels to networks, compared with sampled results of XLA.
file(GLOB programs LIST_DIRECTORIES true CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/programs/*)
if(XYLEM_SANITIZE)
  # The largest take minutes with sanitizers; the others run the same code.
  list(FILTER programs EXCLUDE REGEX "/(gpt2s_fwd_128|resnet50_b4|mandelbrot|rng_uniform|transpose2d)$")
endif()
if(programs AND TARGET xylem)
  add_test(NAME reference_programs COMMAND xylem check --backend=interpreter ${programs})
  set_tests_properties(reference_programs PROPERTIES TIMEOUT 900)
  if(XYLEM_LLVM_INCLUDE)
    foreach(threads 1 2 5)
      add_test(NAME reference_programs.compiled.${threads}
               COMMAND xylem check --backend=cpu --threads=${threads} ${programs})
      set_tests_properties(reference_programs.compiled.${threads} PROPERTIES TIMEOUT 300)
    endforeach()
    # Compiled and kept, then taken from where they are kept.
    add_test(NAME cached_programs.none COMMAND ${CMAKE_COMMAND} -E rm -rf ${PROJECT_BINARY_DIR}/cached_programs)
    set_tests_properties(cached_programs.none PROPERTIES FIXTURES_SETUP no_cached_programs)
    foreach(when kept taken)
      add_test(NAME cached_programs.${when}
               COMMAND xylem check --backend=cpu --cache=${PROJECT_BINARY_DIR}/cached_programs ${programs})
    endforeach()
    set_tests_properties(cached_programs.kept PROPERTIES
                         FIXTURES_REQUIRED no_cached_programs FIXTURES_SETUP cached_programs TIMEOUT 300)
    set_tests_properties(cached_programs.taken PROPERTIES FIXTURES_REQUIRED cached_programs TIMEOUT 300)
  endif()
  # Some of them lie there as StableHLO, too.
  foreach(form mlir mlirbc)
    file(GLOB stablehlo_programs CONFIGURE_DEPENDS
         ${PROJECT_SOURCE_DIR}/tests/programs/*/program.${form})
    list(TRANSFORM stablehlo_programs REPLACE "/program\\.${form}$" "")
    add_test(NAME stablehlo_programs.${form}
             COMMAND xylem check --backend=interpreter --program=program.${form} ${stablehlo_programs})
    set_tests_properties(stablehlo_programs.${form} PROPERTIES TIMEOUT 900)
  endforeach()
endif()
# The programs of the benchmarks, in both forms.
if(TARGET xylem AND NOT XYLEM_SANITIZE)
  file(GLOB bench_programs LIST_DIRECTORIES true CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/programs/*)
  foreach(form hlo mlir)
    add_test(NAME bench_programs.${form} COMMAND xylem check --backend=interpreter --program=program.${form} ${bench_programs})
    set_tests_properties(bench_programs.${form} PROPERTIES TIMEOUT 300)
  endforeach()
  if(XYLEM_LLVM_INCLUDE)
    add_test(NAME bench_programs.compiled COMMAND xylem check --backend=cpu ${bench_programs})
    set_tests_properties(bench_programs.compiled PROPERTIES TIMEOUT 300)
  endif()
endif()

# The headers of the vocabulary and the IR, compiled alone.
add_test(NAME headers.without_protobuf
    COMMAND ${CMAKE_COMMAND} -DCXX=${CMAKE_CXX_COMPILER} -DSOURCE=${PROJECT_SOURCE_DIR}
            -DGENERATED=${PROJECT_BINARY_DIR}/gen
            "-DINCLUDES=$<TARGET_PROPERTY:absl::base,INTERFACE_INCLUDE_DIRECTORIES>"
            -P ${PROJECT_SOURCE_DIR}/tests/headers/without_protobuf_test.cmake)
set_tests_properties(headers.without_protobuf PROPERTIES TIMEOUT 300 COST 50)

include(cmake/client_tests.cmake)
include(cmake/differential.cmake)

# The commands of README.md and docs/*.md, and what they print.
if(Python3_FOUND AND TARGET xylem AND NOT XYLEM_SANITIZE)
  add_test(NAME docs COMMAND ${Python3_EXECUTABLE} ${XYLEM_TEST_TREE}/scripts/check_docs.py --build $<TARGET_FILE_DIR:xylem>)
  set_tests_properties(docs PROPERTIES TIMEOUT 600 SKIP_RETURN_CODE 77 COST 50)
  # docs/commands.md is what --help prints.
  add_test(NAME commands_page COMMAND ${Python3_EXECUTABLE} ${XYLEM_TEST_TREE}/scripts/make_commands_page.py
           $<TARGET_FILE:xylem> --check ${XYLEM_TEST_TREE}/docs/commands.md)
  # docs/performance.md and its charts are made of bench/RESULTS.md.
  add_test(NAME performance_page
           COMMAND ${Python3_EXECUTABLE} ${XYLEM_TEST_TREE}/scripts/make_performance_page.py --check)
  # Doxygen reads the public headers without a warning.
  add_test(NAME headers.reference
           COMMAND ${XYLEM_TEST_TREE}/scripts/make_reference.sh --check - ${PROJECT_BINARY_DIR})
  set_tests_properties(headers.reference PROPERTIES TIMEOUT 300 SKIP_RETURN_CODE 77)
endif()

# The page of `xylem view`: its layout with node alone, and in Chromium, where it and two packages of npm
# are installed.
find_program(XYLEM_NODE NAMES node nodejs)
mark_as_advanced(XYLEM_NODE)
if(XYLEM_NODE AND TARGET xylem AND NOT XYLEM_SANITIZE)
  add_test(NAME view_layout COMMAND ${XYLEM_NODE} ${XYLEM_TEST_TREE}/tests/tools/view_layout_test.js)
  add_test(NAME view_page COMMAND ${XYLEM_NODE} ${XYLEM_TEST_TREE}/scripts/check_view.js $<TARGET_FILE:xylem>)
  set_tests_properties(view_page PROPERTIES TIMEOUT 600 SKIP_RETURN_CODE 77 RUN_SERIAL ON)
endif()
