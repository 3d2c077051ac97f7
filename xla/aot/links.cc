// SPDX-License-Identifier: Apache-2.0
#include "xla/aot/links.h"

#include <variant>

#include "xla/primitive_util.h"

namespace xla::aot {

void Links::AddMachine(const Machine& machine) {
  if (machine.avx512) {
    groups_.insert("AVX3");
  } else if (machine.avx2) {
    groups_.insert("AVX2");
  } else if (machine.sse4) {
    groups_.insert("SSE4");
  }
}

void Links::AddType(PrimitiveType type) {
  if (type == F64 || type == C128) groups_.insert("F64");
  if (primitive_util::IsComplexType(type)) groups_.insert("COMPLEX");
  if (type == PRED || primitive_util::IsIntegralType(type)) groups_.insert("INTEGERS");
  if (type == F16 || type == BF16) groups_.insert("HALVES");
  if (primitive_util::IsFloatingPointType(type) && primitive_util::BitWidth(type) <= 8)
    groups_.insert("SMALLS");
}

void Links::AddLibraryStep(std::string_view function) {
  // These convert elements of any type.
  if (function != "xylem_call_ragged_dot" && function != "xylem_call_rng") return;
  groups_.insert({"F64", "COMPLEX", "INTEGERS", "HALVES", "SMALLS", "MIXED"});
}

void Links::AddRecipe(const kernels::Recipe& recipe) {
  const auto add_operands = [this](PrimitiveType a, PrimitiveType b) {
    if (a != F32 || b != F32) groups_.insert("MIXED");
  };
  if (const auto* dot = std::get_if<kernels::DotSpec>(&recipe))
    add_operands(dot->lhs.type, dot->rhs.type);
  if (const auto* convolution = std::get_if<kernels::ConvolutionSpec>(&recipe))
    add_operands(convolution->input.type, convolution->kernel.type);
}

std::set<std::string> Links::Symbols() const {
  std::set<std::string> symbols;
  for (const std::string& group : groups_) symbols.insert("xylem_link_" + group);
  return symbols;
}

}  // namespace xla::aot
