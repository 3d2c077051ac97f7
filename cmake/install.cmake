# SPDX-License-Identifier: Apache-2.0
# What `cmake --install BUILD --prefix WHERE` installs, by components: command, library, dev (headers,
# CMake package, pkg-config file), plugin, gloo, mpi, doc.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package ${PROJECT_BINARY_DIR}/package)

# --- The command: with its man page and completions ------------------------------------------------
if(TARGET xylem)
  install(TARGETS xylem RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT command)
  # What it links programs with that it compiles ahead of time.
  install(TARGETS xylem_runtime EXPORT XylemAotTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
          COMPONENT command)
  install(EXPORT XylemAotTargets NAMESPACE xylem:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Xylem
          COMPONENT dev)
  install(FILES cmake/XylemAot.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Xylem COMPONENT dev)
  include(cmake/completions.cmake)
  include(cmake/man_page.cmake)
endif()

# --- The library ------------------------------------------------------------------------------------
install(TARGETS xylem_shared EXPORT XylemTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT dev)
install(EXPORT XylemTargets NAMESPACE xylem:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Xylem
        COMPONENT dev)

# Listed at installation, so that headers added later are installed too.
install(CODE "
  include(\"${PROJECT_SOURCE_DIR}/cmake/public_headers.cmake\")
  xylem_public_headers(headers \"${PROJECT_SOURCE_DIR}\" \"${PROJECT_BINARY_DIR}/gen\")
  foreach(header \${headers})
    cmake_path(GET header PARENT_PATH folder)
    set(path \"${PROJECT_SOURCE_DIR}/\${header}\")
    if(NOT EXISTS \${path})
      set(path \"${PROJECT_BINARY_DIR}/gen/\${header}\")
    endif()
    file(INSTALL \${path} DESTINATION
         \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}/xylem/\${folder}\")
  endforeach()" COMPONENT dev)
# For users' .proto files that import these.
foreach(proto xla/xla_data.proto xla/debug_options.proto xla/xla.proto xla/service/hlo.proto
        xla/pjrt/proto/compile_options.proto xla/backends/autotuner/backends.proto)
  cmake_path(GET proto PARENT_PATH folder)
  install(FILES ${proto} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/xylem/${folder} COMPONENT dev)
endforeach()

# --- The plugin: not a library to link with, and therefore in a folder of its own --------------------
set(XYLEM_PLUGIN_DIR ${CMAKE_INSTALL_LIBDIR}/xylem)
install(TARGETS xylem_pjrt LIBRARY DESTINATION ${XYLEM_PLUGIN_DIR} COMPONENT plugin)
# What connects processes (engines.cmake), one component each: they need the libraries of their engines.
foreach(engine ${xylem_engines})
  string(REPLACE "xylem_" "" component ${engine})
  install(TARGETS ${engine} LIBRARY DESTINATION ${XYLEM_PLUGIN_DIR} COMPONENT ${component})
endforeach()

# --- CMake package and pkg-config file ---------------------------------------------------------------
# The headers of generated protocol buffers take no library of an earlier minor version than their own,
# and the names of Abseil's classes hold its version.
string(REGEX MATCH "^[0-9]+\\.[0-9]+" XYLEM_PROTOBUF_MINIMUM "${Protobuf_VERSION}")
set(XYLEM_ABSL_VERSION "${absl_VERSION}")
configure_package_config_file(cmake/XylemConfig.cmake.in ${package}/XylemConfig.cmake
    INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Xylem
    PATH_VARS XYLEM_PLUGIN_DIR CMAKE_INSTALL_FULL_BINDIR CMAKE_INSTALL_FULL_LIBDIR
    NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${package}/XylemConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${package}/XylemConfig.cmake ${package}/XylemConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Xylem COMPONENT dev)

file(RELATIVE_PATH XYLEM_PC_TO_PREFIX /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
configure_file(cmake/xylem.pc.in ${package}/xylem.pc @ONLY)
install(FILES ${package}/xylem.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)

# --- Licenses ----------------------------------------------------------------------------------------
set(XYLEM_DOC_DIR ${CMAKE_INSTALL_DATAROOTDIR}/doc/xylem)
install(FILES LICENSE NOTICE DESTINATION ${XYLEM_DOC_DIR} COMPONENT doc)
install(DIRECTORY licenses DESTINATION ${XYLEM_DOC_DIR} COMPONENT doc)

# --- Packages ----------------------------------------------------------------------------------------
if(PROJECT_IS_TOP_LEVEL AND TARGET xylem)
  include(cmake/deb.cmake)
endif()

# --- The list of what was installed: must stay last. cmake/uninstall.cmake removes what it names. -----
install(CODE "
  if(NOT CMAKE_INSTALL_COMPONENT)
    set(list \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATAROOTDIR}/xylem/installed_files.txt\")
    list(APPEND CMAKE_INSTALL_MANIFEST_FILES \"\${list}\")
    list(JOIN CMAKE_INSTALL_MANIFEST_FILES \"\\n\" files)
    message(STATUS \"Installing: \$ENV{DESTDIR}\${list}\")
    file(WRITE \"\$ENV{DESTDIR}\${list}\" \"\${files}\\n\")
  endif()")
