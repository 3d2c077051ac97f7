# SPDX-License-Identifier: Apache-2.0
# `cmake --install` generates and installs the completions of the shells, which the command itself prints.
# Debian's packages have those of zsh in another folder than what is installed by hand.
install(CODE "
  set(zsh_folder site-functions)
  if(CMAKE_INSTALL_PREFIX STREQUAL \"/usr\")
    set(zsh_folder vendor-completions)
  endif()
  foreach(item bash|bash-completion/completions|xylem zsh|zsh/\${zsh_folder}|_xylem
          fish|fish/vendor_completions.d|xylem.fish)
    string(REPLACE \"|\" \";\" item \"\${item}\")
    list(GET item 0 shell)
    list(GET item 1 folder)
    list(GET item 2 name)
    set(file \"${PROJECT_BINARY_DIR}/completions/\${name}\")
    file(MAKE_DIRECTORY \"${PROJECT_BINARY_DIR}/completions\")
    execute_process(COMMAND \"${PROJECT_BINARY_DIR}/xylem\" completions \${shell} OUTPUT_FILE \"\${file}\"
                    ERROR_VARIABLE error RESULT_VARIABLE result)
    if(result EQUAL 0)
      file(INSTALL \"\${file}\" DESTINATION
           \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATAROOTDIR}/\${folder}\")
    elseif(shell STREQUAL \"bash\")
      message(FATAL_ERROR \"xylem completions \${shell}: \${error}\")
    endif()
  endforeach()" COMPONENT command)
