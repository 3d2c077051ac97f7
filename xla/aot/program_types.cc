// SPDX-License-Identifier: Apache-2.0
#include "xla/aot/program_types.h"

namespace xla::aot {

const char* const kProgramTypes =
#include "xla/aot/program_types.inc"
    ;

}  // namespace xla::aot
