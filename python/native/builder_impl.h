// SPDX-License-Identifier: Apache-2.0
// The state of a builder. Private to python/native.
#ifndef XYLEM_PYTHON_NATIVE_BUILDER_IMPL_H_
#define XYLEM_PYTHON_NATIVE_BUILDER_IMPL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "python/native/api.h"
#include "xla/hlo/builder/xla_builder.h"

namespace xla::python {

struct Builder::Impl {
  explicit Impl(const std::string& name) : builder(name) {}

  // INVALID_ARGUMENT for operations from before the last Build.
  absl::StatusOr<XlaOp> Find(const Op& op) const;
  int64_t Add(XlaOp op);

  XlaBuilder builder;
  std::vector<XlaOp> operations;  // those from number `first` on
  int64_t first = 0;
};

}  // namespace xla::python

#endif  // XYLEM_PYTHON_NATIVE_BUILDER_IMPL_H_
