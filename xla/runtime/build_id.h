// SPDX-License-Identifier: Apache-2.0
#ifndef XLA_RUNTIME_BUILD_ID_H_
#define XLA_RUNTIME_BUILD_ID_H_

#include <string>

namespace xla::runtime {

// Returns the linker's note (--build-id) of the library or program that contains this code, in
// hexadecimal digits; "without build id" if it has none.
const std::string& BuildId();

}  // namespace xla::runtime

#endif  // XLA_RUNTIME_BUILD_ID_H_
