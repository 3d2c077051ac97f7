# SPDX-License-Identifier: Apache-2.0
# Debian packages by CPack, one for each component of the installation (`make deb`): xylem (the command),
# libxylem0.1, libxylem-dev, xylem-pjrt (the plugin), xylem-gloo and xylem-mpi (what connects processes).
set(library libxylem${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(release 0xylem1)
set(maintainer "The Xylem authors <maintainers@xylem.example>")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME xylem)
set(CPACK_PACKAGE_CONTACT "${maintainer}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL command library dev plugin)
foreach(engine ${xylem_engines})
  string(REPLACE "xylem_" "" component ${engine})
  list(APPEND CPACK_COMPONENTS_ALL ${component})
endforeach()
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE ${release})
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

# xylem_deb(COMPONENT PACKAGE SECTION SUMMARY TEXT): sets what the control file says.
macro(xylem_deb component package section summary text)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${package})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${summary}\n${text}")
  # Under the name of the package, and not part of `cmake --install`.
  install(FILES ${documents}/copyright ${documents}/changelog.Debian.gz
          DESTINATION share/doc/${package} COMPONENT ${component} EXCLUDE_FROM_ALL)
endmacro()

# --- Copyright and changes of all packages ------------------------------------------------------------
set(documents ${PROJECT_BINARY_DIR}/package/deb)
file(READ NOTICE text)
string(PREPEND text "Xylem, packaged by its authors.\n\n")
string(APPEND text "\nThe text of the Apache License 2.0 is in /usr/share/common-licenses/Apache-2.0 on Debian systems, \
that of the\nGeneral Public License in /usr/share/common-licenses/GPL-3. The other texts, as NOTICE names them:\n")
file(GLOB licenses RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/licenses/*.txt)
foreach(license ${licenses})
  file(READ ${license} content)
  # LLVM's begins with the same text of Apache's.
  string(REGEX REPLACE "\n *Apache License\n.*\n---- LLVM Exceptions" "\n---- LLVM Exceptions" content "${content}")
  string(APPEND text "\n--- ${license} ---\n\n${content}")
endforeach()
file(CONFIGURE OUTPUT ${documents}/copyright CONTENT "@text@" @ONLY)
file(CONFIGURE OUTPUT ${documents}/changelog.Debian CONTENT "xylem (${PROJECT_VERSION}-${release}) unstable; urgency=medium

  * Version ${PROJECT_VERSION}.

 -- ${maintainer}  Thu, 26 Nov 2026 00:00:00 +0000
" @ONLY)
find_program(XYLEM_GZIP gzip)
mark_as_advanced(XYLEM_GZIP)
if(NOT XYLEM_GZIP)
  return()
endif()
execute_process(COMMAND ${XYLEM_GZIP} --best --no-name --force --keep ${documents}/changelog.Debian)

# --- The packages ---------------------------------------------------------------------------------------
xylem_deb(command xylem science "runs, checks and converts array programs in HLO and StableHLO"
"XLA's HLO and StableHLO are languages for programs on arrays, which JAX
and others write. This command reads them as text, protos and bytecode,
verifies, prints and translates them, runs passes on them, compiles them
to machine code and runs them.
.
Programs are compiled with LLVM, and interpreted where that is not
installed.")
xylem_deb(library ${library} libs "client library for array programs in HLO"
"A small implementation of XLA: XlaBuilder, LocalClient and Literal under
the names and in the headers that programs written for XLA use, with an
interpreter and a compiler for the CPU.
.
Programs are compiled with LLVM, and interpreted where that is not
installed.")
xylem_deb(dev libxylem-dev libdevel "client library for array programs in HLO: development files"
"A small implementation of XLA: XlaBuilder, LocalClient and Literal under
the names and in the headers that programs written for XLA use.
.
This package has the headers, and files for CMake and pkg-config.")
xylem_deb(plugin xylem-pjrt science "runs programs of JAX on Xylem: PJRT plugin"
"Clients of the PJRT interface, such as JAX, load this plugin to compile
and run programs on the CPU. LLVM and all other libraries are inside and
hidden, so that they do not get in the way of other copies in the process.")
# The command, the library and the plugin load them when several processes work together.
if(TARGET xylem_gloo)
  xylem_deb(gloo xylem-gloo science "connects processes of Xylem by Gloo"
"Several processes that run one program together, as those of JAX after
jax.distributed.initialize(), exchange data by this module.")
endif()
if(TARGET xylem_mpi)
  xylem_deb(mpi xylem-mpi science "connects processes of Xylem by MPI"
"Processes that mpirun has started, and that run one program together,
exchange data by this module.")
endif()
set(CPACK_DEBIAN_COMMAND_PACKAGE_RECOMMENDS libllvm19)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_RECOMMENDS libllvm19)
foreach(component COMMAND LIBRARY PLUGIN)
  set(CPACK_DEBIAN_${component}_PACKAGE_SUGGESTS "xylem-gloo, xylem-mpi")
endforeach()
set(depends "${library} (= ${PROJECT_VERSION}-${release}), libabsl-dev, libprotobuf-dev")
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "${depends}")
set(CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS xylem-pjrt)
# Not CPack's own: that would run ldconfig in scripts. Dependencies come from scripts/build_deb.sh.
file(CONFIGURE OUTPUT ${documents}/triggers CONTENT "activate-noawait ldconfig\n")
file(CONFIGURE OUTPUT ${documents}/shlibs CONTENT
     "libxylem ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} ${library} (>= ${PROJECT_VERSION})\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA "${documents}/triggers;${documents}/shlibs")
# A good guest shares nothing with its host (docs/decisions.md).
file(CONFIGURE OUTPUT ${documents}/xylem-pjrt CONTENT
     "# All libraries are inside and hidden: hosts have other versions of them.\nxylem-pjrt: embedded-library zlib *\n")
install(FILES ${documents}/xylem-pjrt DESTINATION share/lintian/overrides COMPONENT plugin EXCLUDE_FROM_ALL)
include(CPack)
