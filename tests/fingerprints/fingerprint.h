// SPDX-License-Identifier: Apache-2.0
// Short stand-ins for texts that are compared but not shown.
#ifndef TESTS_FINGERPRINTS_FINGERPRINT_H_
#define TESTS_FINGERPRINTS_FINGERPRINT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"

namespace xla::testing {

// The files of a folder with the extension, in order.
inline std::vector<std::filesystem::path> FilesOf(const std::string& folder,
                                                  absl::string_view extension) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension().string() == extension) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// A message on one line of at most `most` bytes.
inline std::string OneLine(absl::string_view message, size_t most = 200) {
  std::string line;
  for (const char c : message) {
    if (c == '\n') {
      absl::StrAppend(&line, "; ");
    } else if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f) {
      absl::StrAppendFormat(&line, "\\x%02x", static_cast<unsigned char>(c));
    } else {
      line.push_back(c);
    }
    if (line.size() > most) return line.substr(0, most) + "...";
  }
  return line;
}

// FNV-1a.
inline uint32_t HashOf(absl::string_view bytes) {
  uint32_t hash = 2166136261u;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

// Stands for bytes. What tests expect has "#" alone: that there are some.
inline std::string Fingerprint(absl::string_view bytes) {
  return absl::StrFormat("#%08x", HashOf(bytes));
}

}  // namespace xla::testing

#endif  // TESTS_FINGERPRINTS_FINGERPRINT_H_
