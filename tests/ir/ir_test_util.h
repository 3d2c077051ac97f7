// SPDX-License-Identifier: Apache-2.0
// What several tests of the graph name.
#ifndef TESTS_IR_IR_TEST_UTIL_H_
#define TESTS_IR_IR_TEST_UTIL_H_

#include "xla/shape.h"
#include "xla/shape_util.h"

namespace xla::testing {

inline const Shape kScalar = ShapeUtil::MakeShape(F32, {});

}  // namespace xla::testing

#endif  // TESTS_IR_IR_TEST_UTIL_H_
