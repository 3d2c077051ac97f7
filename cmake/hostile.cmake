# SPDX-License-Identifier: Apache-2.0
# Hostile input (fuzz/hostile) and fault injection (fuzz/faults): `make hostile`, `make faults`. Not
# part of the default build.
file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/fuzz/hostile/*.cc)
add_executable(hostile_driver EXCLUDE_FROM_ALL ${sources})
target_include_directories(hostile_driver PRIVATE ${CMAKE_SOURCE_DIR})
target_link_libraries(hostile_driver PRIVATE xylem_tools xylem_all xylem_warnings ZLIB::ZLIB)

add_library(alloc_faults SHARED EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/fuzz/faults/alloc_faults.cc)
add_executable(write_faults EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/fuzz/faults/write_faults.cc)
set_target_properties(hostile_driver write_faults
                      PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
set_target_properties(alloc_faults PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
