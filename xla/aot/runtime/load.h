// SPDX-License-Identifier: Apache-2.0
// What the code of each program calls.
#ifndef XLA_AOT_RUNTIME_LOAD_H_
#define XLA_AOT_RUNTIME_LOAD_H_

#include <cstddef>
#include <cstdint>

#include "xla/aot/runtime/program.h"
#include "xla/aot/runtime/table.h"

namespace xla::aot {
struct Program;  // run.h
}

extern "C" {

int32_t xylem_runtime_create(const xla::aot::ProgramTable* table, const xylem_load_options* options,
                             xla::aot::Program** program, xylem_error* error);
void xylem_runtime_destroy(xla::aot::Program* program);
size_t xylem_runtime_scratch_bytes(const xla::aot::Program* program, int32_t threads);
// `addresses`: those of arguments, then results; each array with dynamic dimensions is followed by
// the address of their sizes.
int32_t xylem_runtime_run(const xla::aot::Program* program, void* const* addresses,
                          const xylem_run_options* options, xylem_error* error);
}

#endif  // XLA_AOT_RUNTIME_LOAD_H_
