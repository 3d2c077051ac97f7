// SPDX-License-Identifier: Apache-2.0
// The former place of xla/hlo/builder/xla_builder.h.
#ifndef XLA_CLIENT_XLA_BUILDER_H_
#define XLA_CLIENT_XLA_BUILDER_H_

#include "xla/hlo/builder/xla_builder.h"  // IWYU pragma: export

#endif  // XLA_CLIENT_XLA_BUILDER_H_
