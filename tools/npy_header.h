// SPDX-License-Identifier: Apache-2.0
// The headers of .npy files: a magic string, a version and a Python dictionary.
#ifndef XYLEM_TOOLS_NPY_HEADER_H_
#define XYLEM_TOOLS_NPY_HEADER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/shape.h"

namespace xla {

// Reads the next bytes of a file and returns how many: fewer than `count` only at its end.
using ReadBytes = absl::FunctionRef<absl::StatusOr<size_t>(char* buffer, size_t count)>;

// Fills the buffer; an error if there are not enough bytes.
absl::Status ReadExactly(ReadBytes read, char* buffer, size_t count);

struct NpyHeader {
  Shape shape;  // row-major
  bool fortran_order = false;
  bool is_raw = false;     // elements of a type that NumPy cannot name
  int64_t data_bytes = 0;  // what follows the header
};

absl::StatusOr<NpyHeader> ReadNpyHeader(ReadBytes read);

// Whether a file begins like a .npy file.
bool IsNpy(std::string_view bytes);

// The type in which an array of the element type is stored: itself if NumPy has it, else wider.
PrimitiveType NumpyType(PrimitiveType type);

// Everything before the data of an array of this shape and a type that NumPy has.
std::string MakeNpyHeader(const Shape& shape);

}  // namespace xla

#endif  // XYLEM_TOOLS_NPY_HEADER_H_
