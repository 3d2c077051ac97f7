# SPDX-License-Identifier: Apache-2.0
# libxylem.so: all rooms in one shared library, linked from the static ones. It exports what the public
# headers declare.
include(GNUInstallDirs)

set(archives)
foreach(room xla_protos xla_base xla_mlir xla_ir xla_infer xla_dimensions xla_propagation xla_text xla_proto xla_parser xla_builder
        xla_verify xla_passes xla_spmd xla_stablehlo xla_runtime xla_distributed xla_ffi xla_kernels xla_blas xla_lapack xla_interp xla_evaluator xla_value_inference
        xla_cpu xla_loader
        xla_client)
  get_target_property(kind ${room} TYPE)
  if(kind STREQUAL "STATIC_LIBRARY")
    list(APPEND archives ${room})
  endif()
endforeach()
list(TRANSFORM archives REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE archive_files)
list(JOIN archive_files "," archive_list)

set(exports ${PROJECT_BINARY_DIR}/package/exports.map)
add_custom_command(
    OUTPUT ${exports}
    COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} -DSOURCE=${PROJECT_SOURCE_DIR}
            -DGENERATED=${PROJECT_BINARY_DIR}/gen "-DARCHIVES=${archive_list}" -DOUTPUT=${exports}
            -P ${PROJECT_SOURCE_DIR}/cmake/make_exports.cmake
    DEPENDS ${archives} ${archive_files} ${PROJECT_SOURCE_DIR}/cmake/make_exports.cmake
            ${PROJECT_SOURCE_DIR}/cmake/public_headers.cmake
    COMMENT "Exports of libxylem" VERBATIM)

set(stub ${PROJECT_BINARY_DIR}/package/shared.cc)
file(CONFIGURE OUTPUT ${stub} CONTENT "// Empty: the library consists of the archives of the rooms.\n")
add_library(xylem_shared SHARED ${stub} ${exports})
# Given as files: for targets, CMake would add the rooms again as dependencies of other rooms.
add_dependencies(xylem_shared ${archives})
target_link_libraries(xylem_shared PRIVATE
    -Wl,--whole-archive ${archive_files} -Wl,--no-whole-archive
    ${XYLEM_LAPACK}
    ${XYLEM_ABSL} protobuf::libprotobuf Threads::Threads
    ${CMAKE_DL_LIBS})
target_link_options(xylem_shared PRIVATE -Wl,--version-script=${exports})
if(NOT XYLEM_SANITIZE)
  target_link_options(xylem_shared PRIVATE -Wl,-z,defs)
endif()
set_target_properties(xylem_shared PROPERTIES
    OUTPUT_NAME xylem EXPORT_NAME xylem LINK_DEPENDS "${exports};${archive_files}" VERSION ${PROJECT_VERSION}
    # Until 1.0 each minor version may change the interface.
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
# Other projects name the target in the same way, installed or by add_subdirectory.
add_library(xylem::xylem ALIAS xylem_shared)
# Requirements of the public headers.
target_include_directories(xylem_shared INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/xylem>)
target_include_directories(xylem_shared SYSTEM INTERFACE
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/gen>)
target_compile_features(xylem_shared INTERFACE cxx_std_20)
target_link_libraries(xylem_shared INTERFACE
    absl::base absl::flat_hash_map absl::flat_hash_set absl::inlined_vector absl::span absl::status
    absl::statusor absl::str_format absl::strings absl::synchronization absl::time
    protobuf::libprotobuf
    Threads::Threads)
