# SPDX-License-Identifier: Apache-2.0
# libxylem_runtime.a: what programs compiled ahead of time are linked with (xla/aot/runtime), with the
# kernels that they call. It needs no library but C++'s: the few parts of Abseil that kernels use are the
# headers of shim/, so that their sources are compiled a second time here. One object for each file and one
# section for each function: linkers leave out what a program does not use.
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
add_library(xylem_runtime STATIC ${sources})
add_dependencies(xylem_runtime xylem_generated)
target_include_directories(xylem_runtime BEFORE PRIVATE ${PROJECT_SOURCE_DIR}/shim ${PROJECT_SOURCE_DIR})
target_include_directories(xylem_runtime SYSTEM PRIVATE ${PROJECT_BINARY_DIR}/gen ${XYLEM_HIGHWAY_INCLUDE})
target_link_libraries(xylem_runtime PRIVATE $<BUILD_INTERFACE:xylem_warnings>
                      INTERFACE Threads::Threads stdc++ m)
add_library(xylem::runtime ALIAS xylem_runtime)
target_compile_options(xylem_runtime PRIVATE -fdata-sections -fvisibility=hidden -fvisibility-inlines-hidden)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(xylem_runtime PRIVATE -fvect-cost-model=dynamic -falign-functions=64
                                               -falign-loops=64)
endif()
# Nothing else shares the names of functions with programs that have rooms of Xylem inside as well.
target_compile_definitions(xylem_runtime PRIVATE xla=xylem_runtime_xla hwy=xylem_runtime_hwy)
set_target_properties(xylem_runtime PROPERTIES ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR} EXPORT_NAME runtime)

# The text of the types that headers of programs contain.
set(types ${PROJECT_SOURCE_DIR}/xla/aot/runtime/program.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${types})
file(READ ${types} text)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/gen/xla/aot/program_types.inc
     CONTENT "R\"XYLEM(@text@)XYLEM\"\n" @ONLY)
