# SPDX-License-Identifier: Apache-2.0
# Run by the build (aot.cmake) with NM, GROUPS, OBJECTS and FOLDER: writes GROUP.cc for each group of code that
# programs are linked with by need. Objects define xylem_code_GROUP_NAME, the addresses of the code, and refer
# weakly to xylem_linked_GROUP_NAME, which GROUP.cc defines; a program names xylem_link_GROUP, so that the
# linker takes the object of the group, of which it keeps what the program refers to.
execute_process(COMMAND ${NM} --defined-only --format=posix ${OBJECTS} OUTPUT_VARIABLE symbols
                COMMAND_ERROR_IS_FATAL ANY)
foreach(group ${GROUPS})
  set(text "// Written by cmake/by_need.cmake.\nextern \"C\" {\n")
  string(APPEND text "extern const char xylem_link_${group};\nconst char xylem_link_${group} = 0;\n")
  string(REGEX MATCHALL "xylem_code_${group}_[A-Za-z0-9_]+" names "${symbols}")
  foreach(name ${names})
    string(REPLACE "xylem_code_" "xylem_linked_" linked ${name})
    string(APPEND text "extern const void* const ${name};\nextern const void* const* const ${linked};\n"
                       "const void* const* const ${linked} = &${name};\n")
  endforeach()
  string(APPEND text "}\n")
  file(WRITE ${FOLDER}/${group}.cc "${text}")
endforeach()
