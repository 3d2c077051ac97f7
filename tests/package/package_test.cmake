# SPDX-License-Identifier: Apache-2.0
# cmake -DSTEP=.. -DSOURCE=.. -DBUILD=.. -DVERSION=.. -DCXX=.. -DNM=.. -P package_test.cmake: installs
# into a folder of the build folder, and uses what was installed as a user would.
cmake_minimum_required(VERSION 3.25)
set(prefix ${BUILD}/package/prefix)
set(example ${SOURCE}/examples/local_client.cc)

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE output
                  ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "${command}\nended with ${result}:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(check_output)
  if(NOT output MATCHES "f32\\[4\\] {4, 9, 16, 25}")
    message(FATAL_ERROR "the example printed:\n${output}")
  endif()
endfunction()

if(STEP STREQUAL "install")
  file(REMOVE_RECURSE ${prefix})
  run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
  foreach(file bin/xylem include/xylem/xla/client/local_client.h include/xylem/xla/xla_data.pb.h
          include/xylem/xla/runtime/custom_call_c.h include/xylem/xla/ffi/api/ffi.h
          include/xylem/xla/pjrt/c/pjrt_c_api.h include/xylem/xla/tools/hlo_module_loader.h)
    if(NOT EXISTS ${prefix}/${file})
      message(FATAL_ERROR "${file} was not installed")
    endif()
  endforeach()
  # Users' .proto files can import what is installed: nothing that it imports is missing.
  find_program(protoc protoc REQUIRED)
  file(GLOB_RECURSE protos ${prefix}/include/xylem/*.proto)
  run(${protoc} -I ${prefix}/include/xylem --descriptor_set_out=${BUILD}/package/protos.pb ${protos})

elseif(STEP STREQUAL "cmake")
  set(consumer ${BUILD}/package/consumer)
  file(REMOVE_RECURSE ${consumer})
  set(EXAMPLE ${example})
  configure_file(${SOURCE}/tests/package/consumer.cmake.in ${consumer}/CMakeLists.txt @ONLY)
  file(GLOB_RECURSE headers RELATIVE ${prefix}/include/xylem ${prefix}/include/xylem/*.h)
  # These define what xla/ffi/ffi.h defines: custom_call.cc and ffi_only.cc include them.
  list(FILTER headers EXCLUDE REGEX "xla/ffi/api/(api|attributes|buffers|contexts|ffi|futures|handler|patterns|values)\\.h$")
  list(TRANSFORM headers REPLACE "(.+)" "#include \"\\1\"\n")
  list(JOIN headers "" text)
  file(WRITE ${consumer}/all_headers.cc "${text}")
  run(${CMAKE_COMMAND} -G ${GENERATOR} -S ${consumer} -B ${consumer}/build
      -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_CXX_COMPILER=${CXX})
  run(${CMAKE_COMMAND} --build ${consumer}/build)
  run(${consumer}/build/local_client)
  check_output()
  run(${consumer}/build/custom_call)
  if(NOT output MATCHES "f32\\[4\\] {4, 9, 16, 25}")
    message(FATAL_ERROR "the custom call printed:\n${output}")
  endif()
  run(${consumer}/build/run_hlo)
  if(NOT output MATCHES "evaluator and client agree")
    message(FATAL_ERROR "the tool printed:\n${output}")
  endif()

elseif(STEP STREQUAL "pkg_config")
  find_program(pkg_config NAMES pkg-config pkgconf)
  if(NOT pkg_config)
    message("skipped: there is no pkg-config")
    return()
  endif()
  file(GLOB_RECURSE pc ${prefix}/*/xylem.pc)
  cmake_path(GET pc PARENT_PATH folder)
  set(ENV{PKG_CONFIG_PATH} ${folder})
  run(${pkg_config} --modversion xylem)
  string(STRIP "${output}" version)
  if(NOT version STREQUAL VERSION)
    message(FATAL_ERROR "xylem.pc says version ${version}, not ${VERSION}")
  endif()
  run(${pkg_config} --cflags --libs xylem)
  separate_arguments(flags UNIX_COMMAND "${output}")
  cmake_path(GET folder PARENT_PATH libraries)
  run(${CXX} -std=c++20 ${example} ${flags} -Wl,-rpath,${libraries} -o ${BUILD}/package/by_pkg_config)
  run(${BUILD}/package/by_pkg_config)
  check_output()

elseif(STEP STREQUAL "symbols")
  # What is exported: the public interface, and nothing of what stands behind it.
  file(GLOB_RECURSE library ${prefix}/*/libxylem.so)
  run(${NM} -D -C --defined-only ${library})
  string(REGEX REPLACE "\n[0-9a-f]* *[A-Za-z] " "\n" output "\n${output}")
  foreach(wanted "xla::LocalClient::Compile" "xla::XlaBuilder::Build" "xla::Literal::Literal"
          "xla::CustomCallRegistry::LoadLibrary" "xla::HloModuleProto::HloModuleProto")
    if(NOT output MATCHES "\n${wanted}")
      message(FATAL_ERROR "${wanted} is not exported")
    endif()
  endforeach()
  foreach(unwanted "\nxla::Interpret\\([^\n]*" "\nxla::EvalState[^\n]*"
          "\nxla::EvalContext[^\n]*" "\nxla::InterpreterExecutable[^\n]*" "\nxla::ClientCore[^\n]*"
          "\nxla::shape_inference::[^\n]*" "\nxla::verifier::[^\n]*")
    if(output MATCHES "${unwanted}")
      message(FATAL_ERROR "exported, but not public: ${CMAKE_MATCH_0}")
    endif()
  endforeach()
  # No instantiations of other libraries' templates: mangled names begin with our namespaces.
  run(${NM} -D --defined-only ${library})
  string(REGEX REPLACE "(^|\n)[0-9a-f]* *[A-Za-z] " "\\1" output "${output}")
  string(REGEX REPLACE
      "(^|\n)(_Z(T[VIS])?NK?(3xla|3tsl|15stream_executor)|_ZN6google8protobuf5Arena18CreateMaybeMessageIN3xla|descriptor_table_xla_|XLA_FFI_GetApi|XYLEM)[^\n]*"
      "" output "${output}")
  string(STRIP "${output}" output)
  if(NOT output STREQUAL "")
    message(FATAL_ERROR "exported, but of other libraries:\n${output}")
  endif()

else()
  message(FATAL_ERROR "STEP=${STEP}")
endif()
