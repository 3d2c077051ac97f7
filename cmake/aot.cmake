# SPDX-License-Identifier: Apache-2.0
# libxylem_runtime.a: what programs compiled ahead of time are linked with (xla/aot/runtime), with the
# kernels that they call. It needs no library but C++'s: the few parts of Abseil that kernels use are the
# headers of shim/, so that their sources are compiled a second time here. One object for each file and one
# section for each function: linkers leave out what a program does not use. What is linked by need
# (xla/kernels/by_need.h, shim/hwy/highway.h) is named by objects of groups, which by_need.cmake writes.
set(sources)
foreach(folder xla/aot/runtime xla/kernels xla/kernels/convolution xla/kernels/dot xla/kernels/fft
        xla/kernels/linear_algebra xla/kernels/product xla/kernels/random xla/kernels/scan xla/kernels/sort)
  file(GLOB found CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cc)
  list(APPEND sources ${found})
endforeach()
foreach(file xla/base/floating_point_mode.cc xla/base/instruction_set.cc xla/base/machine.cc
        xla/cpu/run/math_functions.cc xla/kernels/movement/sparse_array.cc xla/kernels/movement/transpose.cc
        xla/primitive_util.cc)
  list(APPEND sources ${PROJECT_SOURCE_DIR}/${file})
endforeach()
add_library(xylem_runtime_code OBJECT ${sources})
add_dependencies(xylem_runtime_code xylem_generated)
target_include_directories(xylem_runtime_code BEFORE
                           PRIVATE ${PROJECT_SOURCE_DIR}/shim ${PROJECT_SOURCE_DIR})
target_include_directories(xylem_runtime_code SYSTEM
                           PRIVATE ${PROJECT_BINARY_DIR}/gen ${XYLEM_HIGHWAY_INCLUDE})
target_link_libraries(xylem_runtime_code PRIVATE xylem_warnings)
target_compile_options(xylem_runtime_code PRIVATE -fdata-sections -fvisibility=hidden
                                                  -fvisibility-inlines-hidden)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Pairs of addresses of functions would be vectors, which lie in one section of all functions: none could be left out.
  target_compile_options(xylem_runtime_code PRIVATE -fvect-cost-model=dynamic -falign-functions=64
                                                    -falign-loops=64 -fno-tree-slp-vectorize)
endif()
# Nothing else shares the names of functions with programs that have rooms of Xylem inside as well.
target_compile_definitions(xylem_runtime_code PRIVATE xla=xylem_runtime_xla hwy=xylem_runtime_hwy
                                                      XYLEM_LINKED_BY_NEED)

set(groups SSE4 AVX2 AVX3 F64 COMPLEX INTEGERS HALVES SMALLS MIXED)
set(links)
foreach(group ${groups})
  list(APPEND links ${PROJECT_BINARY_DIR}/gen/by_need/${group}.cc)
endforeach()
add_custom_command(
    OUTPUT ${links}
    COMMAND ${CMAKE_COMMAND} -D NM=${CMAKE_NM} -D "GROUPS=${groups}"
            -D "OBJECTS=$<TARGET_OBJECTS:xylem_runtime_code>" -D FOLDER=${PROJECT_BINARY_DIR}/gen/by_need
            -P ${PROJECT_SOURCE_DIR}/cmake/by_need.cmake
    DEPENDS xylem_runtime_code $<TARGET_OBJECTS:xylem_runtime_code> ${PROJECT_SOURCE_DIR}/cmake/by_need.cmake
    COMMENT "Groups of libxylem_runtime.a"
    VERBATIM)
add_library(xylem_runtime STATIC $<TARGET_OBJECTS:xylem_runtime_code> ${links})
target_compile_options(xylem_runtime PRIVATE -fdata-sections -fvisibility=hidden)
target_link_libraries(xylem_runtime INTERFACE Threads::Threads stdc++ m)
add_library(xylem::runtime ALIAS xylem_runtime)
set_target_properties(xylem_runtime PROPERTIES ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR} EXPORT_NAME runtime)

# The text of the types that headers of programs contain.
set(types ${PROJECT_SOURCE_DIR}/xla/aot/runtime/program.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${types})
file(READ ${types} text)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/gen/xla/aot/program_types.inc
     CONTENT "R\"XYLEM(@text@)XYLEM\"\n" @ONLY)
