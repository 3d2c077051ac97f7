# SPDX-License-Identifier: Apache-2.0
# Hostile input (fuzz/hostile) and fault injection (fuzz/faults): `make hostile`, `make faults`. Not
# part of the default build.
file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/fuzz/hostile/*.cc)
add_executable(hostile_driver EXCLUDE_FROM_ALL ${sources})
target_include_directories(hostile_driver PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(hostile_driver PRIVATE xylem_tools xylem_all xylem_warnings ZLIB::ZLIB)

add_library(alloc_faults SHARED EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/fuzz/faults/alloc_faults.cc)
add_executable(write_faults EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/fuzz/faults/write_faults.cc)
set_target_properties(hostile_driver write_faults
                      PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
set_target_properties(alloc_faults PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})

# What sharding makes of programs, for scripts/shardy_tests.py and fuzz/sharding/main.py.
add_executable(sharding_driver EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/fuzz/sharding/driver.cc
               ${PROJECT_SOURCE_DIR}/fuzz/sharding/values.cc)
target_include_directories(sharding_driver PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(sharding_driver PRIVATE xla_spmd xla_interp xla_propagation xla_dimensions xla_stablehlo xla_verify xla_text
                      xylem_warnings)
set_target_properties(sharding_driver PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})

# Random programs, interpreted and compiled: `make chains`.
file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/cpu/random_chain*.cc)
list(FILTER sources EXCLUDE REGEX "_test[.]cc$")
add_executable(chains EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/fuzz/chains.cc ${sources})
target_include_directories(chains PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(chains PRIVATE xla_interp xla_cpu xla_verify xla_text xylem_warnings)
xylem_use_precompiled_header(chains)
set_target_properties(chains PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
