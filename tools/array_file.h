// SPDX-License-Identifier: Apache-2.0
// Arrays that users give: .npy, .npz and .safetensors files, and values written out.
#ifndef XYLEM_TOOLS_ARRAY_FILE_H_
#define XYLEM_TOOLS_ARRAY_FILE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

#include "absl/status/statusor.h"
#include "tools/npz.h"
#include "tools/safetensors.h"
#include "xla/literal.h"
#include "xla/shape.h"

namespace xla {

// Whether this is a value in HLO's notation, "f32[3]{1, 2, 3}" or "s32[] 7", rather than the name
// of a file.
bool IsInlineLiteral(std::string_view text);

// The array of such a text.
absl::StatusOr<Literal> ParseInlineLiteral(std::string_view text);

// A file of arrays, of any of these kinds; arrays are read when they are asked for.
class ArrayFile {
 public:
  // The name of a file, whose format is detected from its content, "-" for standard input, or an
  // inline literal. Errors begin with the name.
  static absl::StatusOr<ArrayFile> Open(const std::string& source);

  size_t size() const;
  // Empty where an array has no name: in .npy files and inline literals.
  const std::string& name(size_t i) const;
  absl::StatusOr<Shape> ReadShape(size_t i) const;
  absl::StatusOr<Literal> Read(size_t i) const;
  // As an argument of this shape; see NumpyFile::ReadAs.
  absl::StatusOr<Literal> ReadAs(size_t i, const Shape& shape) const;

 private:
  using Arrays = std::variant<NumpyFile, SafetensorsFile, Literal>;
  explicit ArrayFile(Arrays arrays) : arrays_(std::move(arrays)) {}
  Arrays arrays_;
};

}  // namespace xla

#endif  // XYLEM_TOOLS_ARRAY_FILE_H_
