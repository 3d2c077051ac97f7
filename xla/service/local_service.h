// SPDX-License-Identifier: Apache-2.0
// What XLA's header of the local service brings.
#ifndef XLA_SERVICE_LOCAL_SERVICE_H_
#define XLA_SERVICE_LOCAL_SERVICE_H_

#include "xla/client/local_client.h"  // IWYU pragma: export

#endif  // XLA_SERVICE_LOCAL_SERVICE_H_
