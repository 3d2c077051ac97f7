# SPDX-License-Identifier: Apache-2.0
# The plugin as a guest: hosts that load it in unusual ways, or that have other copies of what it is
# linked from. Not where it shares libraries with the host, as with sanitizers.
if(NOT XYLEM_STATIC_PLUGIN)
  return()
endif()
set(guest ${PROJECT_SOURCE_DIR}/tests/guest)
if(TARGET test_guest AND xylem_stand_ins)
  target_sources(test_guest PRIVATE ${xylem_stand_ins})
  set_source_files_properties(${xylem_stand_ins} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endif()
set(plugin $<TARGET_FILE:xylem_pjrt>)

# Without the C++ library, as hosts in C or Go.
add_executable(guest_host ${guest}/host.cc)
target_include_directories(guest_host PRIVATE ${PROJECT_SOURCE_DIR})
target_compile_options(guest_host PRIVATE -fno-exceptions -fno-rtti)
target_link_options(guest_host PRIVATE -nodefaultlibs)
target_link_libraries(guest_host PRIVATE ${CMAKE_DL_LIBS} m c gcc xylem_warnings)

add_executable(guest_host_with_protos ${guest}/host_with_protos.cc)
target_include_directories(guest_host_with_protos PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(guest_host_with_protos PRIVATE xla_protos ${CMAKE_DL_LIBS} xylem_warnings)
# Its own symbols are there for all libraries that come later, as those of many interpreters.
set_target_properties(guest_host_with_protos PROPERTIES ENABLE_EXPORTS ON)

add_executable(guest_host_with_library ${guest}/host_with_library.cc)
target_include_directories(guest_host_with_library PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/gen)
target_link_libraries(guest_host_with_library PRIVATE xylem_shared ${CMAKE_DL_LIBS} xylem_warnings)
add_library(guest_shim MODULE ${guest}/shim.cc)
target_include_directories(guest_shim PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(guest_shim PRIVATE ${CMAKE_DL_LIBS} xylem_warnings)
set_target_properties(guest_host guest_host_with_protos guest_host_with_library guest_shim PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/guest LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/guest)

# A library that exports every name that the plugin has inside, LLVM's, Abseil's, protobuf's and all
# others, so that what reaches out of the plugin ends the process with a signal.
set(traps ${PROJECT_BINARY_DIR}/guest/libtraps.so)
set(llvm_traps ${PROJECT_BINARY_DIR}/guest/libtraps_llvm.so)
foreach(library traps llvm_traps)
  set(names ".")
  if(library STREQUAL "llvm_traps")
    set(names "^(LLVM|_ZN4llvm|_ZNK4llvm)")
  endif()
  add_custom_command(
      OUTPUT ${${library}}
      COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} -DCC=${CMAKE_C_COMPILER} -DPLUGIN=${plugin}
              -DNAMES=${names} -DOUTPUT=${${library}} -P ${guest}/make_traps.cmake
      DEPENDS xylem_pjrt ${guest}/make_traps.cmake
      COMMENT "Traps for the symbols of libxylem_pjrt" VERBATIM)
endforeach()
add_custom_target(guest_traps ALL DEPENDS ${traps})
if(XYLEM_STATIC_LLVM)
  add_custom_target(guest_llvm_traps ALL DEPENDS ${llvm_traps})
endif()

# A second copy under another name, and one by a link.
set(copies ${PROJECT_BINARY_DIR}/guest/copies)
add_custom_command(
    OUTPUT ${copies}/copy.so
    COMMAND ${CMAKE_COMMAND} -E make_directory ${copies}
    COMMAND ${CMAKE_COMMAND} -E copy ${plugin} ${copies}/copy.so
    COMMAND ${CMAKE_COMMAND} -E create_symlink ${plugin} ${copies}/link.so
    DEPENDS xylem_pjrt VERBATIM)
add_custom_target(guest_copies ALL DEPENDS ${copies}/copy.so)

# xylem_guest_test(NAME words...): the host does what the words say.
function(xylem_guest_test name)
  add_test(NAME guest.${name} COMMAND guest_host ${ARGN})
  set_tests_properties(guest.${name} PROPERTIES TIMEOUT 120)
endfunction()
xylem_guest_test(alone open ${plugin} run)
xylem_guest_test(opened_twice open ${plugin} close open ${plugin} run close)
xylem_guest_test(closed_after_use open ${plugin} run close open ${plugin} run)
xylem_guest_test(two_copies open ${plugin} run open ${copies}/copy.so run open ${plugin} run)
xylem_guest_test(copies_opened_first open ${plugin} open ${copies}/copy.so run open ${plugin} run)
xylem_guest_test(by_a_link open ${copies}/link.so run open ${plugin} run)
xylem_guest_test(fork open ${plugin} fork run fork run)
xylem_guest_test(exit_while_compiling open ${plugin} run compile-at-exit)
xylem_guest_test(same_symbols global ${traps} open ${plugin} run close open ${plugin} run)
# The system's own copies, where there are any.
xylem_guest_test(system_libraries_before
    global libprotobuf.so.32 global libabsl_status.so.20220623 global libabsl_cord.so.20220623
    global libLLVM.so.19.1 global liblapack.so.3 global libblas.so.3 global libopenblas.so.0
    global libhwy_contrib.so.1 open ${plugin} run)
xylem_guest_test(system_libraries_after
    open ${plugin} run global libprotobuf.so.32 global libabsl_status.so.20220623
    global libLLVM.so.19.1 global liblapack.so.3 global libopenblas.so.0 run)

# The copy alone, without the build folder and the environment.
add_test(NAME guest.copied_alone
         COMMAND env -i $<TARGET_FILE:guest_host> open ${copies}/copy.so run)
add_test(NAME guest.preloaded_symbols
         COMMAND env LD_PRELOAD=${traps} $<TARGET_FILE:guest_host> open ${plugin} run)
add_test(NAME guest.host_with_protos COMMAND guest_host_with_protos ${plugin})
add_test(NAME guest.library_before COMMAND guest_host_with_library ${plugin} library-first)
add_test(NAME guest.library_after COMMAND guest_host_with_library ${plugin})
find_program(XYLEM_RSCRIPT Rscript)
mark_as_advanced(XYLEM_RSCRIPT)
if(XYLEM_RSCRIPT)
  add_test(NAME guest.r COMMAND ${XYLEM_RSCRIPT} --vanilla -e
           "dyn.load('$<TARGET_FILE:guest_shim>'); for (i in 1:2) stopifnot(.C('guest_run', '${plugin}', passed = 0L)$passed == 1L)")
else()
  add_test(NAME guest.r COMMAND ${CMAKE_COMMAND} -E echo "skipped: there is no R")
endif()
set_tests_properties(guest.r PROPERTIES TIMEOUT 120 SKIP_REGULAR_EXPRESSION "^skipped: ")

# libxylem.so opens the system's LLVM, whatever other one the host has.
if(XYLEM_STATIC_LLVM)
  add_test(NAME guest.library_beside_llvm
           COMMAND env LD_PRELOAD=${llvm_traps} $<TARGET_FILE:guest_host_with_library> ${plugin} library-first)
  set_tests_properties(guest.library_beside_llvm PROPERTIES TIMEOUT 120)
endif()
add_test(NAME guest.symbols
         COMMAND ${CMAKE_COMMAND} -DREADELF=${CMAKE_READELF} -DPLUGIN=${plugin} -DSTATIC_LLVM=${XYLEM_STATIC_LLVM}
                 -P ${guest}/symbols_test.cmake)
set_tests_properties(guest.copied_alone guest.preloaded_symbols guest.host_with_protos
    guest.library_before guest.library_after guest.symbols PROPERTIES TIMEOUT 120)
