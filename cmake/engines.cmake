# SPDX-License-Identifier: Apache-2.0
# libxylem_gloo.so and libxylem_mpi.so: what connects processes. They are modules that the library, the
# plugin and the command load when they are asked for (xla/distributed/engines.h), so that none of these
# needs Gloo or MPI where one process runs. Each is built where its engine is installed.
find_package(Gloo CONFIG QUIET)
find_package(MPI QUIET COMPONENTS CXX)

# xylem_engine(NAME target): the module of xla/distributed/engines/NAME_transport.cc.
function(xylem_engine name)
  add_library(xylem_${name} MODULE ${PROJECT_SOURCE_DIR}/xla/distributed/engines/${name}_transport.cc)
  target_include_directories(xylem_${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(xylem_${name} PRIVATE ${ARGN} absl::status absl::statusor absl::strings absl::time
                        Threads::Threads xylem_warnings)
  set_target_properties(xylem_${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}
                        CXX_VISIBILITY_PRESET hidden)
  list(APPEND xylem_engines xylem_${name})
  set(xylem_engines ${xylem_engines} PARENT_SCOPE)
endfunction()

set(xylem_engines)
if(TARGET gloo)
  xylem_engine(gloo gloo)
else()
  message(STATUS "There is no Gloo (libgloo-dev): several processes need MPI")
endif()
if(MPI_CXX_FOUND AND EXISTS ${PROJECT_SOURCE_DIR}/xla/distributed/engines/mpi_transport.cc)
  xylem_engine(mpi MPI::MPI_CXX)
else()
  message(STATUS "There is no MPI (libopenmpi-dev, libmpich-dev): several processes need Gloo")
endif()
# Those that this build has.
add_custom_target(xylem_engines DEPENDS ${xylem_engines})
