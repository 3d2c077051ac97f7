// SPDX-License-Identifier: Apache-2.0
// The former place of xla/hlo/builder/padding.h.
#ifndef XLA_CLIENT_PADDING_H_
#define XLA_CLIENT_PADDING_H_

#include "xla/hlo/builder/padding.h"  // IWYU pragma: export

#endif  // XLA_CLIENT_PADDING_H_
