// SPDX-License-Identifier: Apache-2.0
// The page docs/operations.md: an introduction, a table of contents and a section per operation.
#ifndef TESTS_COVERAGE_OP_PAGE_H_
#define TESTS_COVERAGE_OP_PAGE_H_

#include <string>

namespace xla {

std::string OpsPage();

}  // namespace xla

#endif  // TESTS_COVERAGE_OP_PAGE_H_
