# SPDX-License-Identifier: Apache-2.0
# `cmake --install` generates and installs the bash completion, which the command itself prints.
install(CODE "
  file(MAKE_DIRECTORY \"${PROJECT_BINARY_DIR}/completions\")
  execute_process(COMMAND \"${PROJECT_BINARY_DIR}/xylem\" completions bash
                  OUTPUT_FILE \"${PROJECT_BINARY_DIR}/completions/xylem\" COMMAND_ERROR_IS_FATAL ANY)")
install(FILES ${PROJECT_BINARY_DIR}/completions/xylem
        DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/bash-completion/completions)
