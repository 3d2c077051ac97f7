// SPDX-License-Identifier: Apache-2.0
// NumPy's .npy and .npz files to and from Literals. Source: numpy.lib.format. Archives are read and
// written by libzip, which only npz.cc includes.
#ifndef XYLEM_TOOLS_NPZ_H_
#define XYLEM_TOOLS_NPZ_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/literal.h"
#include "xla/shape.h"

namespace xla {

// A .npy or .npz file, detected from its content. Arrays are decompressed when they are read, and
// only as far as their shape says: what a file claims costs no memory.
class NumpyFile {
 public:
  // Errors name the file. "-" is standard input.
  static absl::StatusOr<NumpyFile> Open(const std::string& path);
  static absl::StatusOr<NumpyFile> FromBytes(std::string bytes);
  ~NumpyFile();
  NumpyFile(NumpyFile&&) noexcept;
  NumpyFile& operator=(NumpyFile&&) noexcept;

  // How many arrays there are, in the order of the archive.
  size_t size() const { return names_.size(); }
  // The member's name without ".npy"; empty for a .npy file.
  const std::string& name(size_t i) const { return names_[i]; }

  // Type and dimensions as the array's header has them. NumPy has no names for the types of
  // ml_dtypes (bfloat16, float8_*, int4): such arrays hold raw bytes ("|V2", "|V1") and are U16 or
  // U8, with `is_raw` set.
  absl::StatusOr<Shape> ReadShape(size_t i, bool* is_raw = nullptr) const;

  // The array, row-major.
  absl::StatusOr<Literal> Read(size_t i) const;

  // The array as an argument of the given shape. The element type must be the same, except that
  // types NumPy lacks also accept raw bytes and the wider type that WriteNpz stores. The data are
  // read only if the header fits.
  absl::StatusOr<Literal> ReadAs(size_t i, const Shape& shape) const;

 private:
  struct Archive;
  NumpyFile();
  std::vector<std::string> names_;
  std::unique_ptr<Archive> archive_;
};

// What ReadAs does, for arrays of other sources: whether an array of a shape can be an argument of
// another one (the same type, or one that stands for it; dynamic dimensions up to their bounds),
// and the array as such an argument.
absl::Status CheckFitsArgument(const Shape& given, const Shape& shape);
absl::StatusOr<Literal> ToArgument(Literal array, const Shape& shape);

// Writes one array as a .npy file. Types NumPy lacks as below.
absl::Status WriteNpy(const std::string& path, const LiteralSlice& array);

// Writes an uncompressed archive to the path ("-": standard output). The same arrays give the same
// bytes. Types NumPy lacks are stored as the next wider type that it has: bf16, f8, f6, f4 as f32,
// integers below a byte as one byte each.
absl::Status WriteNpz(const std::string& path,
                      const std::vector<std::pair<std::string, LiteralSlice>>& arrays);

}  // namespace xla

#endif  // XYLEM_TOOLS_NPZ_H_
