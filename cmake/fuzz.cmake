# SPDX-License-Identifier: Apache-2.0
# fuzz/NAME.cc -> the libFuzzer target fuzz_NAME (but for the differential test's worker: tests.cmake).
file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/fuzz/*.cc)
list(FILTER sources EXCLUDE REGEX "/differential[^/]*$")
# A fuzzer links what it needs, so that the readers' build without the rest.
set(fuzz_uses_hlo_text xla_text xla_verify)
set(fuzz_uses_hlo_proto xla_proto xla_text xla_verify)
set(fuzz_uses_literal_proto xla_base)
foreach(source ${sources})
  get_filename_component(name ${source} NAME_WE)
  add_executable(fuzz_${name} ${source})
  target_include_directories(fuzz_${name} PRIVATE ${CMAKE_SOURCE_DIR})
  if(NOT DEFINED fuzz_uses_${name})
    set(fuzz_uses_${name} xylem_all)
  endif()
  target_link_libraries(fuzz_${name} PRIVATE ${fuzz_uses_${name}} xylem_warnings)
  target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
endforeach()
