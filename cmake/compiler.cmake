# SPDX-License-Identifier: Apache-2.0
# Language level, warnings, optimization, sanitizers and linker of all targets.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g0 -DNDEBUG")
set(CMAKE_CXX_FLAGS_DEBUG "-Og -g1")

if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(XYLEM_CCACHE ccache)
  mark_as_advanced(XYLEM_CCACHE)
  if(XYLEM_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${XYLEM_CCACHE})
  endif()
endif()

# Same input, same bits: no contraction into fused multiply-add, no reassociation.
add_compile_options(-ffp-contract=off -fno-math-errno)
add_compile_options(-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)

# Position-independent code for the shared library. CMAKE_POSITION_INDEPENDENT_CODE would compile
# executables with -fPIE, so that they could not share the precompiled header.
add_compile_options(-fPIC)

# Linked by each target (xylem_warnings) except those of generated code.
add_library(xylem_warnings INTERFACE)
target_compile_options(xylem_warnings INTERFACE -Wall -Wextra -Wno-missing-field-initializers)
if(XYLEM_WERROR)
  target_compile_options(xylem_warnings INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Garbage collection of the compiler takes 5 to 10 % of its time; sources here need less than this.
  add_compile_options(--param=ggc-min-heapsize=600000)
  # These depend on inlining and report false positives in std::string, variant and StatusOr.
  target_compile_options(xylem_warnings INTERFACE
      -Wno-restrict -Wno-maybe-uninitialized -Wno-stringop-overflow -Wno-stringop-overread
      -Wno-array-bounds -Wno-free-nonheap-object)
else()
  # clang 19 reports that std::stable_sort of libstdc++ 12 uses std::get_temporary_buffer. GCC reports our
  # own uses of what is deprecated.
  target_compile_options(xylem_warnings INTERFACE -Wno-deprecated-declarations)
endif()

if(XYLEM_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "XYLEM_FUZZ needs clang: configure with -DCMAKE_CXX_COMPILER=clang++")
  endif()
  if(NOT XYLEM_SANITIZE)
    set(XYLEM_SANITIZE "address,undefined")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(XYLEM_SANITIZE)
  add_compile_options(-fsanitize=${XYLEM_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  # AddressSanitizer reports null pointers that are used, too. These checks, one at each use of a pointer, take a
  # third of the compile time.
  if(XYLEM_SANITIZE MATCHES "address")
    add_compile_options(-fno-sanitize=null,object-size,alignment,vptr,nonnull-attribute,returns-nonnull-attribute)
  endif()
  add_link_options(-fsanitize=${XYLEM_SANITIZE})
  # Under ThreadSanitizer the headers of protobuf add members to map fields, which the library of the
  # system does not have; our own code asks for another name.
  if(XYLEM_SANITIZE STREQUAL "thread")
    add_compile_options(-U__SANITIZE_THREAD__ -DXYLEM_THREAD_SANITIZER)
  endif()
  add_compile_definitions(XYLEM_SANITIZER)
  if(XYLEM_SANITIZE_LESS)
    add_compile_definitions(XYLEM_SANITIZE_LESS)
    if(XYLEM_SANITIZE MATCHES "address")
      add_compile_options(-fno-sanitize-address-use-after-scope)
    endif()
  endif()
endif()

find_program(XYLEM_LLD ld.lld)
mark_as_advanced(XYLEM_LLD)
if(XYLEM_LLD)
  add_link_options(-fuse-ld=lld)
endif()
if(NOT APPLE)
  add_compile_options(-ffunction-sections)
  add_link_options(-Wl,--gc-sections)
endif()
