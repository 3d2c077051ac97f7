// SPDX-License-Identifier: Apache-2.0
// Fuzzes what users give beside programs: safetensors files, values written out, compressed
// programs and protos in text format. Any input must end with OK or an error, and take memory in
// proportion.
#include <cstddef>
#include <cstdint>
#include <string>

#include "tools/array_file.h"
#include "tools/encoded_files.h"
#include "tools/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr int64_t kMostBytes = 1 << 22;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  auto file = xla::SafetensorsFile::FromBytes(bytes);
  if (file.ok()) {
    for (size_t i = 0; i < file->size(); ++i) (void)file->Read(i).status();
  }
  if (xla::IsInlineLiteral(bytes)) (void)xla::ParseInlineLiteral(bytes).status();
  (void)xla::DecodeProgram(bytes, kMostBytes).status();
  return 0;
}
