# SPDX-License-Identifier: Apache-2.0
# What the wheel holds besides Python, as the component "wheel" (`make wheel`; pyproject.toml): the
# plugin, and the command once more, linked from archives, which takes LLVM from the plugin; in the library
# of the Python package where that is built (python.cmake).
if(NOT TARGET xylem)
  return()
endif()
if(NOT XYLEM_STATIC_PLUGIN OR NOT XYLEM_STATIC_LLVM)
  add_custom_target(xylem_wheel
      COMMAND ${CMAKE_COMMAND} -E echo "A wheel needs a plugin with all libraries inside, LLVM too: not with"
      COMMAND ${CMAKE_COMMAND} -E echo "sanitizers, XYLEM_STATIC_LLVM=OFF, or archives that are made for executables."
      COMMAND ${CMAKE_COMMAND} -E false VERBATIM)
  return()
endif()
set(portable ${PROJECT_BINARY_DIR}/portable)
if(TARGET xylem_native)
  # The command is in the library that the Python package is linked with.
  add_executable(xylem_portable EXCLUDE_FROM_ALL python/command/main.cc)
  target_link_libraries(xylem_portable PRIVATE xylem_native xylem_warnings)
  set_target_properties(xylem_portable PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "\$ORIGIN/../lib")
else()
  xylem_static_closure(archives system options xylem_tools)
  add_executable(xylem_portable EXCLUDE_FROM_ALL
      tools/main.cc ${PROJECT_SOURCE_DIR}/xla/pjrt/linked/plugin_llvm.cc)
  target_include_directories(xylem_portable PRIVATE ${PROJECT_SOURCE_DIR})
  target_include_directories(xylem_portable SYSTEM PRIVATE ${XYLEM_LLVM_INCLUDE} ${PROJECT_BINARY_DIR}/gen)
  target_compile_definitions(xylem_portable PRIVATE XYLEM_VERSION="${PROJECT_VERSION}")
  add_dependencies(xylem_portable xylem_tools)
  target_link_libraries(xylem_portable PRIVATE
      -Wl,--start-group ${archives} -Wl,--end-group ${system} xylem_warnings)
  target_link_options(xylem_portable PRIVATE ${options} -static-libstdc++ -static-libgcc)
  list(FILTER archives INCLUDE REGEX "\\$<TARGET_FILE:")
  list(TRANSFORM archives REPLACE "^.*(\\$<TARGET_FILE:[^>]*>).*" "\\1")
  set_target_properties(xylem_portable PROPERTIES LINK_DEPENDS "${archives}")
endif()
# As PREFIX/bin/xylem, PREFIX/lib/libxylem_pjrt.so and PREFIX/lib/libxylem_runtime.a (what `xylem aot` links
# with), here as in the package.
set_target_properties(xylem_portable PROPERTIES OUTPUT_NAME xylem
    RUNTIME_OUTPUT_DIRECTORY ${portable}/bin)
add_custom_target(xylem_wheel
    COMMAND ${CMAKE_COMMAND} -E make_directory ${portable}/lib
    COMMAND ${CMAKE_COMMAND} -E create_symlink $<TARGET_FILE:xylem_pjrt> ${portable}/lib/libxylem_pjrt.so
    COMMAND ${CMAKE_COMMAND} -E create_symlink $<TARGET_FILE:xylem_runtime> ${portable}/lib/libxylem_runtime.a
    DEPENDS xylem_portable xylem_pjrt xylem_runtime VERBATIM)
