# SPDX-License-Identifier: Apache-2.0
# Embeds the programs of tests/operations and the builder's header, as the generated source
# ops_data.cc of xylem_tools: `xylem ops NAME` shows them.
file(GLOB operation_programs CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/operations/*.hlo)
set(ops_data ${PROJECT_BINARY_DIR}/gen/tools/ops_data.cc)
set(builder_header ${PROJECT_SOURCE_DIR}/xla/hlo/builder/xla_ops.h)
add_custom_command(
    OUTPUT ${ops_data}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${ops_data} -DFOLDER=${PROJECT_SOURCE_DIR}/tests/operations
            -DHEADER=${builder_header} -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${operation_programs} ${builder_header} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    COMMENT "Embedding the documentation of operations"
    VERBATIM)
target_sources(xylem_tools PRIVATE ${ops_data})
# Compiled separately, so that clang-tidy can check the rest of its room without generating it.
set_source_files_properties(${ops_data} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
