# SPDX-License-Identifier: Apache-2.0
# ctest reads this file: each suite of a GoogleTest binary is one test. A process for each of some thousands of cases
# would spend a third of the time on starting.

# xylem_add_suites(PREFIX BINARY FOLDER LIST): the suites of BINARY, which run in FOLDER, as tests PREFIX.SUITE. LIST is a file
# that keeps the names of BINARY's cases until it changes.
function(xylem_add_suites prefix binary folder list)
  if(NOT EXISTS ${binary})
    add_test(${prefix}.not_built ${binary})
    return()
  endif()
  if(NOT EXISTS ${list} OR ${binary} IS_NEWER_THAN ${list})
    execute_process(COMMAND ${binary} --gtest_list_tests OUTPUT_VARIABLE cases RESULT_VARIABLE result
                    ERROR_VARIABLE error TIMEOUT 120)
    if(NOT result EQUAL 0)
      message(FATAL_ERROR "${binary} does not list its tests: ${result}\n${error}")
    endif()
    file(WRITE ${list} "${cases}")
  endif()
  # Suites are lines that are not indented and end with a dot; names of parameters may follow.
  file(STRINGS ${list} suites REGEX "^[^ ]+[.]( .*)?$")
  foreach(line IN LISTS suites)
    string(REGEX REPLACE "[.]( .*)?$" "" suite "${line}")
    add_test(${prefix}.${suite} ${binary} --gtest_brief=1 "--gtest_filter=${suite}.*")
    set_tests_properties(${prefix}.${suite} PROPERTIES WORKING_DIRECTORY ${folder} TIMEOUT 600
                         SKIP_RETURN_CODE 77)
    # The longest rooms first, so that no long suite runs alone at the end.
    if(prefix MATCHES "^(aot|variants)$")
      set_tests_properties(${prefix}.${suite} PROPERTIES COST 50)
    endif()
  endforeach()
endfunction()
