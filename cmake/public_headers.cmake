# SPDX-License-Identifier: Apache-2.0
# The public headers: those that users include, and those that these include. They are installed, and
# the shared library exports what they declare.

cmake_policy(PUSH)
cmake_policy(VERSION 3.25)  # also included by the script of `cmake --install`, which sets none

# xylem_public_headers(OUT SOURCE GENERATED): paths from either root ("xla/shape.h", "xla/xla_data.pb.h").
function(xylem_public_headers out source generated)
  set(queue)
  foreach(pattern
      "xla/*.h" "xla/types/*.h" "xla/tsl/platform/*.h" "xla/tsl/lib/core/*.h" "xla/tsl/lib/gtl/*.h" "xla/tsl/lib/math/*.h" "xla/tsl/util/*.h" "tsl/platform/*.h" "xla/hlo/parser/*.h" "xla/hlo/evaluator/*.h" "xla/stream_executor/*.h" "xla/stream_executor/host/*.h" "xla/service/*.h"
      "xla/ffi/*.h" "xla/ffi/api/*.h" "xla/backends/cpu/*.h" "xla/pjrt/c/*.h" "xla/tests/*.h" "xla/tools/*.h" "xla/client/*.h" "xla/client/lib/*.h" "xla/hlo/builder/lib/*.h")
    file(GLOB found RELATIVE ${source} ${source}/${pattern})
    list(APPEND queue ${found})
  endforeach()
  # Headers of the implementation in the same folders as public headers.
  list(FILTER queue EXCLUDE REGEX
      "/(literal_access|pass_fuel|ffi/handlers|custom_call_check|strided_copy|element_convert|interpreter_executable|client_core|placement|lib_util|jacobi|special_functions)\\.h$")
  list(APPEND queue
      xla/hlo/builder/padding.h xla/hlo/builder/sharding_builder.h xla/hlo/builder/value_inference.h xla/hlo/builder/xla_builder.h
      xla/hlo/builder/xla_computation.h xla/hlo/ir/hlo_casting_utils.h xla/hlo/ir/hlo_instructions.h xla/hlo/ir/hlo_module.h
      xla/hlo/ir/hlo_original_value.h xla/hlo/text/parser.h
      xla/hlo/text/printer.h xla/hlo/proto/hlo_proto.h xla/hlo/verifier/hlo_verifier.h
      xla/runtime/custom_call.h xla/runtime/custom_call_c.h xla/xla.pb.h xla/service/hlo.pb.h)
  set(headers)
  while(queue)
    list(POP_FRONT queue header)
    if(header IN_LIST headers)
      continue()
    endif()
    list(APPEND headers ${header})
    if(EXISTS ${source}/${header})
      set(path ${source}/${header})
    else()
      set(path ${generated}/${header})
    endif()
    file(STRINGS ${path} includes REGEX "^#include \"(xla|tsl)/")
    foreach(line ${includes})
      string(REGEX REPLACE "^#include \"([^\"]*)\".*" "\\1" included "${line}")
      list(APPEND queue ${included})
    endforeach()
  endwhile()
  list(SORT headers)
  set(${out} ${headers} PARENT_SCOPE)
endfunction()

cmake_policy(POP)
