# SPDX-License-Identifier: Apache-2.0
# The Python package without JAX: python/native and all that it uses in libxylem_native.so, which the
# small extensions for versions of Python are linked with (python/extension, scripts/build_extension.sh).
find_program(XYLEM_PYTHON3 NAMES python3 DOC "A Python without requirements")
mark_as_advanced(XYLEM_PYTHON3)
if(NOT TARGET xylem OR NOT XYLEM_PYTHON3 OR NOT XYLEM_STATIC_PLUGIN OR NOT XYLEM_STATIC_LLVM)
  # `make test` asks for it where there is a Python for it.
  add_custom_target(xylem_python
      COMMAND ${CMAKE_COMMAND} -E echo "skipped: the Python package needs a plugin with all libraries inside" VERBATIM)
  return()
endif()

set(xylem_operation_table ${PROJECT_BINARY_DIR}/gen/python/operation_table.cc)
set(xylem_operations ${PROJECT_BINARY_DIR}/gen/python/_operations.py)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/gen/python)
add_custom_command(
    OUTPUT ${xylem_operation_table} ${xylem_operations}
    COMMAND ${XYLEM_PYTHON3} ${PROJECT_SOURCE_DIR}/scripts/make_python_builder.py
            ${PROJECT_SOURCE_DIR}/xla/hlo/builder/xla_ops.h ${xylem_operation_table} ${xylem_operations}
    DEPENDS ${PROJECT_SOURCE_DIR}/scripts/make_python_builder.py
            ${PROJECT_SOURCE_DIR}/xla/hlo/builder/xla_ops.h
    COMMENT "Generating the builder of the Python package"
    VERBATIM)

xylem_room(xylem_python_native UNITY FOLDERS python/native
           USES xylem_tools xla_client xla_interp xla_cpu xla_passes xla_spmd xla_builder xla_stablehlo)
target_sources(xylem_python_native PRIVATE ${xylem_operation_table})
# Not part of `all`: what uses it asks for it.
set_target_properties(xylem_python_native PROPERTIES EXCLUDE_FROM_ALL ON)
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  # The precompiled header of the other files is of another level.
  set_source_files_properties(${xylem_operation_table} PROPERTIES COMPILE_OPTIONS -O1 SKIP_PRECOMPILE_HEADERS ON)
endif()

# It exports the namespace of python/native/api.h, and the command, so that the wheel has both once. LLVM
# comes from the plugin.
xylem_static_closure(native_archives native_system native_options xylem_python_native)
set(native_exports ${PROJECT_BINARY_DIR}/package/native_exports.map)
file(CONFIGURE OUTPUT ${native_exports} CONTENT
     "{ global: xylem_command_main; extern \"C++\" { xla::python::*; }; local: *; };\n")
add_library(xylem_native SHARED EXCLUDE_FROM_ALL
    ${PROJECT_SOURCE_DIR}/tools/main.cc ${PROJECT_SOURCE_DIR}/xla/pjrt/linked/c_library.cc
    ${PROJECT_SOURCE_DIR}/xla/pjrt/linked/plugin_llvm.cc ${xylem_stand_ins})
target_include_directories(xylem_native PRIVATE ${PROJECT_SOURCE_DIR})
target_include_directories(xylem_native SYSTEM PRIVATE ${XYLEM_LLVM_INCLUDE} ${PROJECT_BINARY_DIR}/gen)
target_compile_definitions(xylem_native PRIVATE XYLEM_VERSION="${PROJECT_VERSION}" XYLEM_COMMAND_IN_LIBRARY)
add_dependencies(xylem_native xylem_python_native)
target_link_libraries(xylem_native PRIVATE
    -Wl,--whole-archive $<TARGET_FILE:xylem_python_native> -Wl,--no-whole-archive
    -Wl,--start-group ${native_archives} -Wl,--end-group ${native_system} xylem_warnings)
target_link_options(xylem_native PRIVATE ${native_options}
    -static-libstdc++ -static-libgcc -Wl,--version-script=${native_exports} -Wl,-Bsymbolic
    -Wl,--wrap=stderr -Wl,-z,nodelete -Wl,-z,defs -Wl,--gc-sections)
list(FILTER native_archives INCLUDE REGEX "\\$<TARGET_FILE:")
list(TRANSFORM native_archives REPLACE "^.*(\\$<TARGET_FILE:[^>]*>).*" "\\1")
set_target_properties(xylem_native PROPERTIES
    LINK_DEPENDS "${native_exports};$<TARGET_FILE:xylem_python_native>;${native_archives}"
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/portable/lib)

# build/python/xylem: the package with the extension for XYLEM_EXTENSION_PYTHON, and its tests there.
# `make python` installs such a Python.
set(XYLEM_EXTENSION_PYTHON ${PROJECT_SOURCE_DIR}/build-python/bin/python CACHE FILEPATH
    "A Python with nanobind, numpy and pytest")
mark_as_advanced(XYLEM_EXTENSION_PYTHON)
add_custom_target(xylem_python
    COMMAND ${CMAKE_COMMAND} -E create_symlink $<TARGET_FILE:xylem_pjrt>
            ${PROJECT_BINARY_DIR}/portable/lib/libxylem_pjrt.so
    COMMAND ${PROJECT_SOURCE_DIR}/scripts/build_extension.sh --package ${PROJECT_BINARY_DIR}
            ${XYLEM_EXTENSION_PYTHON}
    DEPENDS xylem_native xylem_pjrt xylem VERBATIM)
if(XYLEM_TESTS)
  add_test(NAME python_package
      COMMAND ${CMAKE_COMMAND} -DPYTHON=${XYLEM_EXTENSION_PYTHON} -DPACKAGE=${PROJECT_BINARY_DIR}/python
              -DSOURCE=${PROJECT_SOURCE_DIR} -P ${PROJECT_SOURCE_DIR}/python/native_tests/run.cmake)
  set_tests_properties(python_package PROPERTIES TIMEOUT 900 COST 50 SKIP_REGULAR_EXPRESSION "^skipped: ")
endif()
