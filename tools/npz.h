// SPDX-License-Identifier: Apache-2.0
// NumPy's .npy and .npz files to and from Literals. Source: numpy.lib.format; the ZIP application
// note (6.3).
#ifndef XYLEM_TOOLS_NPZ_H_
#define XYLEM_TOOLS_NPZ_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/literal.h"

namespace xla {

struct NamedLiteral {
  std::string name;  // the member's name without ".npy"; empty for a lone .npy file
  Literal value;     // row-major
};

// One array. NumPy has no name for the types of ml_dtypes (bfloat16, float8_*, int4): such files
// hold raw bytes
// ("|V2", "|V1") and come back as U16 or U8 with `is_raw` set; the bytes are the element's bits.
absl::StatusOr<Literal> ParseNpy(std::string_view bytes, bool* is_raw = nullptr);

// The arrays of a .npy or .npz file, told apart by content. Members may be stored or deflated.
absl::StatusOr<std::vector<NamedLiteral>> ParseNumpyFile(std::string_view bytes);

// An array as .npy. Types NumPy lacks are written as the next wider it has: bf16, f8, f6, f4 as
// f32, integers below a byte as one byte each.
absl::StatusOr<std::string> ToNpy(const LiteralSlice& array);

// Stored, with correct CRCs.
absl::StatusOr<std::string> ToNpz(const std::vector<std::pair<std::string, LiteralSlice>>& arrays);

// The literal as an argument of the given shape: the type must be the same, but for raw bytes, and
// for types NumPy lacks, which also take the next wider type that ToNpy writes. The error says in
// words what is wrong.
absl::StatusOr<Literal> ArgumentFromNumpy(NamedLiteral array, const Shape& shape);

}  // namespace xla

#endif  // XYLEM_TOOLS_NPZ_H_
