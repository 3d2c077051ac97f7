# SPDX-License-Identifier: Apache-2.0
# `cmake --install` writes and installs the man page, from what `xylem --help` and the --help of each
# subcommand print. Under /usr it is compressed, as Debian's packages have it.
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND)
  install(CODE "
    execute_process(
        COMMAND \"${Python3_EXECUTABLE}\" \"${PROJECT_SOURCE_DIR}/scripts/make_man_page.py\"
                \"${PROJECT_BINARY_DIR}/xylem\"
        OUTPUT_FILE \"${PROJECT_BINARY_DIR}/package/xylem.1\" COMMAND_ERROR_IS_FATAL ANY)
    set(page \"${PROJECT_BINARY_DIR}/package/xylem.1\")
    if(CMAKE_INSTALL_PREFIX STREQUAL \"/usr\")
      execute_process(COMMAND gzip --best --no-name --force --keep \"\${page}\" COMMAND_ERROR_IS_FATAL ANY)
      string(APPEND page .gz)
    endif()
    file(INSTALL \"\${page}\"
         DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_MANDIR}/man1\")" COMPONENT command)
else()
  message(STATUS "There is no Python 3: the man page will not be installed")
endif()
