// SPDX-License-Identifier: Apache-2.0
// Between the library's types and those that the Python package sees. Private to python/native.
#ifndef XYLEM_PYTHON_NATIVE_CONVERT_H_
#define XYLEM_PYTHON_NATIVE_CONVERT_H_

#include <memory>
#include <string>
#include <type_traits>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "python/native/api.h"
#include "xla/hlo/builder/xla_computation.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/shape.h"

namespace xla::python {

Error ErrorOf(const absl::Status& status);
// Runs a function that returns an absl::StatusOr; what it throws, for lack of memory above all,
// becomes an error.
template <typename Function>
auto Guarded(Function&& function) -> Result<typename std::invoke_result_t<Function>::value_type>;

ShapeInfo ShapeInfoOf(const Shape& shape);

struct Module::Impl {
  std::unique_ptr<const HloModule> module;
  std::string source;  // StableHLO that it was translated from; empty for other formats
  std::string source_name;
  // Of a module that a builder made: what other builders call.
  XlaComputation computation;
};
// Verified.
ModulePtr MakeModule(std::unique_ptr<HloModule> module);

// --- Implementation

Error CurrentException();

template <typename Function>
auto Guarded(Function&& function) -> Result<typename std::invoke_result_t<Function>::value_type> {
  try {
    auto result = function();
    if (!result.ok()) return ErrorOf(result.status());
    return *std::move(result);
  } catch (...) {
    return CurrentException();
  }
}

}  // namespace xla::python

#endif  // XYLEM_PYTHON_NATIVE_CONVERT_H_
