# SPDX-License-Identifier: Apache-2.0
# cmake -DNM=nm -DSOURCE=.. -DGENERATED=.. -DARCHIVES=a.a,b.a -DOUTPUT=.. -P make_exports.cmake: the
# linker's version script that exports only what the public headers declare: functions of namespace
# xla, and classes with all their members.
#
# Symbols are listed individually: linkers look names up in a table, but match patterns one after the
# other, which takes longer than the rest of the link. Names are mangled by the Itanium C++ ABI, which
# states the length of each identifier: _ZN3xla5Shape... is a member of xla::Shape.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/public_headers.cmake)
xylem_public_headers(headers ${SOURCE} ${GENERATED})

# public_NAME is defined for each identifier that a public header declares, or may declare.
foreach(header ${headers})
  if(EXISTS ${SOURCE}/${header})
    set(path ${SOURCE}/${header})
  else()
    set(path ${GENERATED}/${header})
  endif()
  file(READ ${path} text)
  string(REGEX MATCHALL "(class|struct) [A-Za-z_][A-Za-z0-9_]*|[A-Za-z_][A-Za-z0-9_]*\\(" found "${text}")
  foreach(name ${found})
    string(REGEX REPLACE "^(class|struct) |\\($" "" name "${name}")
    set(public_${name} 1)
  endforeach()
  string(REGEX MATCHALL "namespace [a-z_:]+" found "${text}")
  foreach(name ${found})
    string(REGEX REPLACE "^namespace |::" ";" name "${name}")
    foreach(part ${name})
      set(namespace_${part} 1)
    endforeach()
  endforeach()
endforeach()
# Internal, although a public class or comment names them.
unset(public_ClientCore)
unset(public_kernels)

string(REPLACE "," ";" archives "${ARCHIVES}")
execute_process(COMMAND ${NM} -P --defined-only --extern-only ${archives}
                OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "(^|\n)_Z[^ ;]* |(^|\n)(descriptor_table_xla_[^ ;]*|XLA_FFI_GetApi) " symbols "${symbols}")
list(TRANSFORM symbols STRIP)
list(SORT symbols)
list(REMOVE_DUPLICATES symbols)

set(exported)
foreach(symbol ${symbols})
  # [vtable, typeinfo, its name] [member of] xla:: or tsl:: LENGTH NAME...; NAME may be a namespace of
  # public headers, with another LENGTH NAME behind it.
  if(symbol MATCHES "^_Z(T[VIS])?NK?3(xla|tsl)([0-9]+)(.*)$")
    string(SUBSTRING "${CMAKE_MATCH_4}" 0 ${CMAKE_MATCH_3} name)
    string(SUBSTRING "${CMAKE_MATCH_4}" ${CMAKE_MATCH_3} -1 rest)
    while(DEFINED namespace_${name} AND NOT DEFINED public_${name} AND rest MATCHES "^([0-9]+)(.*)$")
      string(SUBSTRING "${CMAKE_MATCH_2}" 0 ${CMAKE_MATCH_1} name)
      string(SUBSTRING "${CMAKE_MATCH_2}" ${CMAKE_MATCH_1} -1 rest)
    endwhile()
    # The inline functions of generated protocol buffers use these.
    if(DEFINED public_${name} OR name MATCHES "^_.*_default_instance_$")
      list(APPEND exported ${symbol})
    endif()
  elseif(symbol MATCHES "^_ZN3xla[a-z][a-z]E|^_Z(T[VIS])?NK?15stream_executor"  # operators
         OR symbol MATCHES "^_ZN6google8protobuf5Arena18CreateMaybeMessageIN3xla"
         OR symbol MATCHES "^descriptor_table_xla_|^XLA_FFI_GetApi$")
    list(APPEND exported ${symbol})
  endif()
endforeach()
list(JOIN exported ";\n    " exported)
file(WRITE ${OUTPUT} "XYLEM {\n  global:\n    ${exported};\n  local: *;\n};\n")
