# SPDX-License-Identifier: Apache-2.0
# Programs on several processes of this machine, as the command starts them; needs Gloo.
if(TARGET xylem AND TARGET xylem_gloo)
  add_dependencies(xylem xylem_gloo)
  set(programs ${PROJECT_SOURCE_DIR}/tests/processes)
  foreach(backend cpu interpreter)
    add_test(NAME processes.same_results_${backend}
             COMMAND ${programs}/same_results.sh $<TARGET_FILE:xylem> ${backend} ${programs}/all_kinds.hlo
                     ${programs}/sharded.hlo ${programs}/large_sums.hlo)
    set_tests_properties(processes.same_results_${backend} PROPERTIES TIMEOUT 300)
  endforeach()
  add_test(NAME processes.errors COMMAND ${programs}/errors.sh $<TARGET_FILE:xylem> ${programs})
  set_tests_properties(processes.errors PROPERTIES TIMEOUT 300)
endif()
