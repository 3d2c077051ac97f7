# SPDX-License-Identifier: Apache-2.0
# bench/NAME.cc -> bench_NAME, built on demand only: cmake --build build --target bench_NAME.
file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/*.cc)
foreach(source ${sources})
  get_filename_component(name ${source} NAME_WE)
  add_executable(bench_${name} EXCLUDE_FROM_ALL ${source})
  target_link_libraries(bench_${name} PRIVATE xylem_tools xylem_all xylem_warnings)
  xylem_use_precompiled_header(bench_${name})
endforeach()
if(TARGET bench_blas)
  target_link_libraries(bench_blas PRIVATE xylem_lapack xla_runtime ${CMAKE_DL_LIBS})
endif()
