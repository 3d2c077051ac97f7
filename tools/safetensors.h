// SPDX-License-Identifier: Apache-2.0
// Arrays in safetensors files: a length in eight bytes, a JSON object that names the arrays, and
// their bytes. Source: https://github.com/huggingface/safetensors, "Format". The JSON is parsed by
// nlohmann/json, which only safetensors.cc includes.
#ifndef XYLEM_TOOLS_SAFETENSORS_H_
#define XYLEM_TOOLS_SAFETENSORS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "xla/literal.h"
#include "xla/shape.h"

namespace xla {

// Whether a file that begins with these bytes is one.
bool IsSafetensors(std::string_view bytes);

// Arrays are read from the file one by one, when they are asked for: what a header claims costs no
// memory, and neither do arrays that are not used. Headers are checked as the reference
// implementation does: names once, known types, bytes without gaps or overlaps up to the end.
class SafetensorsFile {
 public:
  // A regular file. Errors name it.
  static absl::StatusOr<SafetensorsFile> Open(const std::string& path);
  static absl::StatusOr<SafetensorsFile> FromBytes(std::string bytes);
  ~SafetensorsFile();
  SafetensorsFile(SafetensorsFile&&) noexcept;
  SafetensorsFile& operator=(SafetensorsFile&&) noexcept;

  // In order of their bytes.
  size_t size() const { return arrays_.size(); }
  const std::string& name(size_t i) const { return arrays_[i].name; }
  const Shape& shape(size_t i) const { return arrays_[i].shape; }
  absl::StatusOr<Literal> Read(size_t i) const;

 private:
  struct Source;
  struct Array {
    std::string name;
    Shape shape;
    int bits = 0;                 // of an element
    uint64_t begin = 0, end = 0;  // of its bytes, after the header
  };
  static absl::StatusOr<Array> ReadEntry(const std::string& name, const void* json);
  static absl::StatusOr<std::vector<Array>> ReadHeader(std::string_view json);
  static absl::StatusOr<SafetensorsFile> FromSource(std::unique_ptr<Source> source);
  SafetensorsFile();

  std::vector<Array> arrays_;
  std::unique_ptr<Source> source_;
};

}  // namespace xla

#endif  // XYLEM_TOOLS_SAFETENSORS_H_
