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
  # The module of the engine is beside the command, also where the shell has found that.
  add_test(NAME processes.command_in_path
           COMMAND ${CMAKE_COMMAND} -E env "PATH=$<TARGET_FILE_DIR:xylem>:/usr/bin:/bin"
                   sh -c "cd / && xylem run --processes 2 --random 1 ${programs}/sharded.hlo")
  set_tests_properties(processes.command_in_path PROPERTIES TIMEOUT 300)
  add_test(NAME processes.errors COMMAND ${programs}/errors.sh $<TARGET_FILE:xylem> ${programs})
  set_tests_properties(processes.errors PROPERTIES TIMEOUT 300)
endif()
