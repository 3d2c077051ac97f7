# SPDX-License-Identifier: Apache-2.0
# xylem_room, xylem_protos and xylem_precompiled_header: functions that define libraries.

# xylem_room(NAME [UNITY] [QUICK] FOLDERS dir... [FILES file...] [EXCEPT file...] USES target...)
# Defines a static library of the files and of the .cc files in the folders (not in their subfolders),
# or an interface library if there are none. UNITY: if XYLEM_UNITY is on, several files are compiled as
# one. QUICK: see xylem_compile_quickly.
function(xylem_room name)
  cmake_parse_arguments(arg "UNITY;QUICK" "" "FOLDERS;FILES;EXCEPT;USES" ${ARGN})
  set(sources)
  foreach(folder ${arg_FOLDERS})
    file(GLOB found CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cc)
    list(APPEND sources ${found})
  endforeach()
  list(TRANSFORM arg_FILES PREPEND ${PROJECT_SOURCE_DIR}/)
  list(APPEND sources ${arg_FILES})
  foreach(file ${arg_EXCEPT})
    list(REMOVE_ITEM sources ${PROJECT_SOURCE_DIR}/${file})
  endforeach()
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  if(sources)
    add_library(${name} STATIC ${sources})
    target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR})
    target_link_libraries(${name} PUBLIC ${arg_USES} PRIVATE xylem_warnings)
    if(arg_QUICK)
      xylem_compile_quickly(${name})
    else()
      xylem_use_precompiled_header(${name})
    endif()
    if(XYLEM_UNITY AND arg_UNITY)
      set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
      if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        # The compiler takes the joined files for headers and warns of their anonymous namespaces.
        target_compile_options(${name} PRIVATE -Wno-subobject-linkage)
      endif()
    endif()
  else()
    add_library(${name} INTERFACE)
    target_include_directories(${name} INTERFACE ${PROJECT_SOURCE_DIR})
    target_link_libraries(${name} INTERFACE ${arg_USES})
  endif()
endfunction()

# xylem_protos(NAME): defines a library of the C++ generated from every .proto of xla/. Headers are
# included by their path from the repository root: "xla/xla_data.pb.h", or without protobuf "xla/xla_data_enums.h" (see
# proto_enums.cmake). A system include directory suppresses warnings from generated code.
function(xylem_protos name)
  set(gen ${PROJECT_BINARY_DIR}/gen)
  file(MAKE_DIRECTORY ${gen})
  file(GLOB_RECURSE protos RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS
       ${PROJECT_SOURCE_DIR}/xla/*.proto)
  if(NOT protos)
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE protobuf::libprotobuf)
    return()
  endif()
  set(inputs ${protos})
  list(TRANSFORM inputs PREPEND ${PROJECT_SOURCE_DIR}/)
  set(outputs)
  foreach(proto ${protos})
    string(REGEX REPLACE "\\.proto$" "" stem ${proto})
    # Depends on every proto, because protoc runs quickly and imports are not tracked.
    add_custom_command(
        OUTPUT ${gen}/${stem}.pb.cc ${gen}/${stem}.pb.h ${gen}/${stem}_enums.cc ${gen}/${stem}_enums.h
        COMMAND protobuf::protoc --cpp_out=${gen} -I ${PROJECT_SOURCE_DIR} ${proto}
        COMMAND ${CMAKE_COMMAND} -DSTEM=${gen}/${stem} -DINCLUDE=${stem}
                -P ${PROJECT_SOURCE_DIR}/cmake/proto_enums.cmake
        WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
        DEPENDS ${inputs} ${PROJECT_SOURCE_DIR}/cmake/proto_enums.cmake
        COMMENT "protoc ${proto}"
        VERBATIM)
    list(APPEND outputs ${gen}/${stem}.pb.cc ${gen}/${stem}.pb.h
         ${gen}/${stem}_enums.cc ${gen}/${stem}_enums.h)
  endforeach()
  # For targets that include generated headers without linking what is made of the rest.
  add_custom_target(xylem_generated DEPENDS ${outputs})
  add_library(${name} STATIC ${outputs})
  add_dependencies(${name} xylem_generated)
  target_compile_options(${name} PRIVATE -w)
  # Not instrumented, as the system's library behind it: code that protoc generated is not under test, and
  # instrumenting it takes up to a tenth of such a build.
  if(XYLEM_SANITIZE)
    target_compile_options(${name} PRIVATE -fno-sanitize=all -g0)
  endif()
  target_include_directories(${name} SYSTEM PUBLIC ${gen})
  target_link_libraries(${name} PUBLIC protobuf::libprotobuf)
endfunction()

# A precompiled header is built once, in a library of its own, and rooms reuse it. NAME is the library; it is compiled with
# OPTIONS, since compilers refuse a header that was compiled with another level of optimization.
function(xylem_precompiled_header name)
  if(NOT XYLEM_PCH)
    return()
  endif()
  set(stub ${PROJECT_BINARY_DIR}/pch/pch.cc)
  file(CONFIGURE OUTPUT ${stub} CONTENT "// Empty: this library only provides the precompiled header.\n")
  add_library(${name} STATIC ${stub})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_options(${name} PRIVATE ${ARGN})
  target_link_libraries(${name} PRIVATE xla_protos absl::statusor absl::flat_hash_map absl::span
                        absl::str_format PRIVATE xylem_warnings)
  target_precompile_headers(${name} PRIVATE
      <algorithm> <array> <cmath> <cstdint> <cstring> <functional> <limits> <memory> <optional>
      <string> <string_view> <type_traits> <utility> <variant> <vector>
      <absl/container/flat_hash_map.h> <absl/container/flat_hash_set.h>
      <absl/container/inlined_vector.h> <absl/status/status.h> <absl/status/statusor.h>
      <absl/strings/str_cat.h> <absl/strings/str_format.h> <absl/strings/str_join.h>
      <absl/strings/string_view.h> <absl/types/span.h>)
  # Headers of the project that most files include.
  target_precompile_headers(${name} PRIVATE
      <xla/xla_data.pb.h> <xla/hlo/ir/hlo_instruction.h> <xla/hlo/ir/hlo_module.h> <xla/literal.h>
      <xla/shape_util.h>)
  # ccache needs these options to support precompiled headers.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${name} PRIVATE -fpch-preprocess)
    set(XYLEM_PCH_OPTION -fpch-preprocess PARENT_SCOPE)
  else()
    target_compile_options(${name} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
    set(XYLEM_PCH_OPTION "SHELL:-Xclang -fno-pch-timestamp" PARENT_SCOPE)
  endif()
endfunction()

# xylem_use_precompiled_header(TARGET [PCH]): PCH is xylem_pch unless given.
function(xylem_use_precompiled_header target)
  set(pch xylem_pch)
  if(ARGC GREATER 1)
    set(pch ${ARGV1})
  endif()
  if(XYLEM_PCH)
    target_precompile_headers(${target} REUSE_FROM ${pch})
    target_compile_options(${target} PRIVATE ${XYLEM_PCH_OPTION})
  endif()
endfunction()

# xylem_compile_quickly(TARGET): its speed counts less than the time to compile it, which is a quarter less with -O1.
function(xylem_compile_quickly target)
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    target_compile_options(${target} PRIVATE -O1)
    xylem_use_precompiled_header(${target} xylem_pch_quick)
  else()
    xylem_use_precompiled_header(${target})
  endif()
endfunction()
