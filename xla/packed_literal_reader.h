// SPDX-License-Identifier: Apache-2.0
// PackedLiteralReader: reads the bare elements of arrays, one array after the other, from a file
// without any header.
#ifndef XLA_PACKED_LITERAL_READER_H_
#define XLA_PACKED_LITERAL_READER_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "xla/layout.h"
#include "xla/literal.h"
#include "xla/shape.h"
#include "xla/tsl/platform/file_system.h"

namespace xla {

class PackedLiteralReader {
 public:
  // Takes ownership of the file.
  explicit PackedLiteralReader(tsl::RandomAccessFile* file) : file_(file) {}

  // The next array, in the machine's byte order and in the order of `layout` or, without one, of
  // the shape's. Errors: an element type other than F32; a file that ends early.
  absl::StatusOr<Literal> Read(const Shape& shape, const Layout* layout = nullptr);

  // Whether the file has no bytes left.
  bool IsExhausted() const;

 private:
  const std::unique_ptr<tsl::RandomAccessFile> file_;
  uint64_t offset_ = 0;
};

}  // namespace xla

#endif  // XLA_PACKED_LITERAL_READER_H_
