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
