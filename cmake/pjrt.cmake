# SPDX-License-Identifier: Apache-2.0
# libxylem_pjrt.so: the plugin that JAX and other clients load, one file that shares nothing with its
# host but the C library. It exports GetPjrtApi and nothing else; Abseil, protobuf, LLVM and the C++
# library are linked in from their archives, so that other copies of them in the process do not
# matter. It stays in memory once it was loaded: threads run its code. Where archives do not serve (Debian
# 13), it uses the system's shared libraries instead and is no such guest.
option(XYLEM_STATIC_LLVM "Link LLVM into the plugin, instead of loading the system's at run time" ON)

# Some objects of distributions' archives cannot be part of a shared library: they are compiled for
# executables. xla/pjrt/linked stands in for those of the versions that it knows. For others, Abseil built
# with -DCMAKE_POSITION_INDEPENDENT_CODE=ON and installed in a folder of CMAKE_PREFIX_PATH serves.
option(XYLEM_PLUGIN_PIC_ARCHIVES "Take the archives of Abseil and protobuf for compiled with -fPIC, whatever they look like" OFF)
mark_as_advanced(XYLEM_PLUGIN_PIC_ARCHIVES)
set(protobuf_is_pic ON)
set(abseil_is_pic ON)
xylem_archive_of_target(protobuf protobuf::libprotobuf OPTIONAL)
xylem_archive_of_target(abseil absl::cordz_functions OPTIONAL)
if(NOT XYLEM_SANITIZE AND NOT XYLEM_PLUGIN_PIC_ARCHIVES)
  if(protobuf)
    xylem_is_position_independent(protobuf_is_pic ${protobuf})
  endif()
  if(abseil)
    xylem_is_position_independent(abseil_is_pic ${abseil})
  endif()
endif()
set(XYLEM_STATIC_PLUGIN ON)
if(XYLEM_SANITIZE)
  set(XYLEM_STATIC_PLUGIN OFF)  # sanitizers follow memory and locks through shared libraries
elseif(NOT protobuf OR NOT abseil)
  message(STATUS "There are no archives of Abseil and protobuf: the plugin uses shared libraries")
  set(XYLEM_STATIC_PLUGIN OFF)
elseif(NOT abseil_is_pic AND NOT absl_VERSION STREQUAL "20220623")
  message(STATUS "The archives of Abseil ${absl_VERSION} are not compiled with -fPIC: the plugin uses shared libraries")
  set(XYLEM_STATIC_PLUGIN OFF)
endif()

set(xylem_pjrt_exports ${PROJECT_BINARY_DIR}/package/pjrt_exports.map)
file(CONFIGURE OUTPUT ${xylem_pjrt_exports} CONTENT "{ global: GetPjrtApi; local: *; };\n")
set(linked ${PROJECT_SOURCE_DIR}/xla/pjrt/linked)
add_library(xylem_pjrt SHARED ${linked}/no_exit_handlers.cc)
target_link_options(xylem_pjrt PRIVATE
    -Wl,--version-script=${xylem_pjrt_exports} -Wl,-Bsymbolic -Wl,--build-id=sha1
    -Wl,--undefined=GetPjrtApi -Wl,-z,nodelete -Wl,-z,now)
set_target_properties(xylem_pjrt PROPERTIES LINK_DEPENDS ${xylem_pjrt_exports}
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})

if(NOT XYLEM_STATIC_PLUGIN)
  target_link_libraries(xylem_pjrt PRIVATE xla_pjrt)
else()
  target_sources(xylem_pjrt PRIVATE ${linked}/c_library.cc)
  xylem_static_closure(archives system options xla_pjrt)
  set(xylem_stand_ins)
  if(NOT abseil_is_pic)
    list(APPEND xylem_stand_ins ${linked}/abseil.cc)
  endif()
  if(NOT protobuf_is_pic)
    list(APPEND xylem_stand_ins ${linked}/protobuf_arena.cc)
  endif()
  if(xylem_stand_ins)
    target_sources(xylem_pjrt PRIVATE ${xylem_stand_ins})
  endif()
  if(XYLEM_STATIC_LLVM)
    target_sources(xylem_pjrt PRIVATE ${linked}/llvm_api.cc)
    target_include_directories(xylem_pjrt SYSTEM PRIVATE ${XYLEM_LLVM_INCLUDE})
    xylem_llvm_archives(llvm)
    list(APPEND archives ${llvm})
  endif()
  target_include_directories(xylem_pjrt PRIVATE ${PROJECT_SOURCE_DIR})
  add_dependencies(xylem_pjrt xla_pjrt)
  target_link_libraries(xylem_pjrt PRIVATE
      -Wl,--start-group ${archives} -Wl,--end-group ${system} xylem_warnings)
  target_link_options(xylem_pjrt PRIVATE
      ${options} -static-libstdc++ -static-libgcc -Wl,--undefined=__cxa_pure_virtual -Wl,--wrap=__cxa_atexit -Wl,--wrap=stderr -Wl,-z,defs)
  list(FILTER archives INCLUDE REGEX "\\$<TARGET_FILE:")
  list(TRANSFORM archives REPLACE "^.*(\\$<TARGET_FILE:[^>]*>).*" "\\1")
  set_property(TARGET xylem_pjrt APPEND PROPERTY LINK_DEPENDS ${archives})
endif()

# A fast part of the plugin's Python tests, where there is a Python with jax and pytest: that of
# `make jax`, or -DXYLEM_JAX_PYTHON=...
set(XYLEM_JAX_PYTHON ${PROJECT_SOURCE_DIR}/build-jax/bin/python CACHE FILEPATH "A Python with jax and pytest")
mark_as_advanced(XYLEM_JAX_PYTHON)
if(XYLEM_TESTS AND NOT XYLEM_SANITIZE)
  foreach(platform xylem cpu)
    add_test(NAME jax_programs_${platform}
        COMMAND ${CMAKE_COMMAND} -DPYTHON=${XYLEM_JAX_PYTHON} -DLIBRARY=$<TARGET_FILE:xylem_pjrt>
                -DPLATFORM=${platform} -DSOURCE=${PROJECT_SOURCE_DIR}
                -P ${PROJECT_SOURCE_DIR}/python/tests/run.cmake)
    set_tests_properties(jax_programs_${platform} PROPERTIES
        TIMEOUT 900 SKIP_REGULAR_EXPRESSION "^skipped: ")
  endforeach()

  # The smoke suite with each version of JAX that scripts/check_jax_versions.py has installed.
  set(XYLEM_JAX_VERSIONS ${PROJECT_SOURCE_DIR}/build-jax-versions CACHE PATH
      "A folder of virtual environments with jax and pytest")
  mark_as_advanced(XYLEM_JAX_VERSIONS)
  find_program(XYLEM_PYTHON3 NAMES python3 DOC "A Python without requirements")
  mark_as_advanced(XYLEM_PYTHON3)
  if(XYLEM_PYTHON3)
    add_test(NAME jax_versions
        COMMAND ${XYLEM_PYTHON3} ${PROJECT_SOURCE_DIR}/scripts/check_jax_versions.py --installed-only
                --folder ${XYLEM_JAX_VERSIONS} --library $<TARGET_FILE:xylem_pjrt>)
    set_tests_properties(jax_versions PROPERTIES
        TIMEOUT 7200 SKIP_REGULAR_EXPRESSION "^skipped: ")
  endif()
endif()
