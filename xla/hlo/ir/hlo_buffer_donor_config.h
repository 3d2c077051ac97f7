// SPDX-License-Identifier: Apache-2.0
// HloBufferDonorConfig under XLA's include path.
#ifndef XLA_HLO_IR_HLO_BUFFER_DONOR_CONFIG_H_
#define XLA_HLO_IR_HLO_BUFFER_DONOR_CONFIG_H_

#include "xla/hlo/ir/hlo_input_output_alias_config.h"  // IWYU pragma: export

#endif  // XLA_HLO_IR_HLO_BUFFER_DONOR_CONFIG_H_
