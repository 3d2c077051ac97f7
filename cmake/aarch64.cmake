# SPDX-License-Identifier: Apache-2.0
# Cross compilation for 64-bit ARM on Debian or Ubuntu: their compiler, their libraries of the other
# architecture beside the machine's own, and qemu's user mode for what the build and ctest run.
# scripts/install_deps.sh --arm64 installs them; -DCMAKE_CXX_COMPILER=clang++ takes clang instead.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)

set(xylem_triple aarch64-linux-gnu)
if(NOT CMAKE_C_COMPILER)
  set(CMAKE_C_COMPILER ${xylem_triple}-gcc)
endif()
if(NOT CMAKE_CXX_COMPILER)
  set(CMAKE_CXX_COMPILER ${xylem_triple}-g++)
endif()
# For clang; others have one target and ignore it.
set(CMAKE_C_COMPILER_TARGET ${xylem_triple})
set(CMAKE_CXX_COMPILER_TARGET ${xylem_triple})
set(CMAKE_LIBRARY_ARCHITECTURE ${xylem_triple})

find_program(XYLEM_QEMU qemu-aarch64-static qemu-aarch64)
mark_as_advanced(XYLEM_QEMU)
if(XYLEM_QEMU)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${XYLEM_QEMU})
endif()

# Libraries lie in folders of their architecture, headers and CMake packages where those of the
# machine are. Packages of the machine's own architecture (CMake files with its paths) do not fit.
set(CMAKE_IGNORE_PREFIX_PATH /usr/local)
set(CMAKE_SYSTEM_IGNORE_PATH /usr/lib/x86_64-linux-gnu /usr/lib/x86_64-linux-gnu/cmake)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
# Gloo's library has no folder of its architecture: it is the machine's own.
set(CMAKE_DISABLE_FIND_PACKAGE_Gloo ON)
# The machine's own pkg-config files do not apply.
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/${xylem_triple}/pkgconfig:/usr/share/pkgconfig)
