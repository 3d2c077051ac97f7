# SPDX-License-Identifier: Apache-2.0
# cmake -DCXX=c++ -DSOURCE=.. -DGENERATED=.. -DINCLUDES="dir;.." -P without_protobuf_test.cmake: checks
# that the headers of the vocabulary and the IR include nothing of protobuf, whose headers take longer
# to compile than all of the IR.
cmake_minimum_required(VERSION 3.25)
set(scratch ${GENERATED}/../header_test)
set(flags)
foreach(folder ${SOURCE} ${GENERATED} ${INCLUDES})
  list(APPEND flags -I${folder})
endforeach()

# The files of protobuf that `header` includes, however indirectly.
function(find_protobuf out header)
  file(WRITE ${scratch}.cc "#include \"${header}\"\n")
  execute_process(COMMAND ${CXX} -std=c++20 ${flags} -M ${scratch}.cc
                  RESULT_VARIABLE result OUTPUT_VARIABLE included ERROR_VARIABLE errors)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${header} does not compile alone:\n${errors}")
  endif()
  string(REGEX MATCHALL "[^ \n]*(google/protobuf/|\\.pb\\.h)[^ \n]*" found "${included}")
  set(${out} "${found}" PARENT_SCOPE)
endfunction()

# That the search finds what is there.
find_protobuf(found xla/xla_data.pb.h)
if(NOT found)
  message(FATAL_ERROR "no trace of protobuf in xla/xla_data.pb.h: this test cannot fail")
endif()

file(GLOB headers RELATIVE ${SOURCE} ${SOURCE}/xla/*.h ${SOURCE}/xla/base/*.h
     ${SOURCE}/xla/types/*.h ${SOURCE}/xla/hlo/ir/*.h)
# These hand out messages.
list(REMOVE_ITEM headers xla/debug_options_flags.h xla/execution_options_util.h)
foreach(header ${headers})
  find_protobuf(found ${header})
  if(found)
    list(GET found 0 first)
    message(SEND_ERROR "${header} includes ${first}")
  endif()
endforeach()
