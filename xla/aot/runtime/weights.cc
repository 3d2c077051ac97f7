// SPDX-License-Identifier: Apache-2.0
#include "xla/aot/runtime/weights.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"

namespace xla::aot {
namespace {

absl::Status Check(const ProgramTable& table, const char* memory, int64_t bytes) {
  WeightsHeader header;
  if (bytes < kWeightsStart) {
    return absl::InvalidArgumentError(
        absl::StrCat("program ", table.name, ": the weights have ", bytes, " bytes only"));
  }
  std::memcpy(&header, memory, sizeof(header));
  if (std::memcmp(header.magic, kWeightsMagic, sizeof(header.magic)) != 0 ||
      header.version != kWeightsVersion) {
    return absl::InvalidArgumentError(absl::StrCat(
        "program ", table.name, ": this is not a file of weights of version ", kWeightsVersion));
  }
  if (header.digest != table.weights_digest || header.bytes != table.weights_bytes ||
      bytes < table.weights_bytes) {
    return absl::InvalidArgumentError(absl::StrCat(
        "program ", table.name, ": the weights are another program's, or cut off: ", bytes,
        " bytes, not ", table.weights_bytes));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<const char*> FindWeights(const ProgramTable& table,
                                        const xylem_load_options& options, Program& program) {
  if (options.weights != nullptr) {
    const auto* const memory = static_cast<const char*>(options.weights);
    if (reinterpret_cast<uintptr_t>(memory) % 64 != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("program ", table.name, ": the weights are not aligned to 64 bytes"));
    }
    XLA_RETURN_IF_ERROR(Check(table, memory, static_cast<int64_t>(options.weights_bytes)));
    return memory;
  }
  if (options.weights_path == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(
        "program ", table.name,
        " keeps its weights in a file: set weights_path or weights when it is loaded"));
  }
  const int file = open(options.weights_path, O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (file < 0 || fstat(file, &status) != 0 || status.st_size == 0) {
    if (file >= 0) close(file);
    return absl::NotFoundError(absl::StrCat("program ", table.name, ": cannot read the weights in ",
                                            options.weights_path));
  }
  void* const memory =
      mmap(nullptr, static_cast<size_t>(status.st_size), PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if (memory == MAP_FAILED) {
    return absl::ResourceExhaustedError(
        absl::StrCat("program ", table.name, ": cannot map the weights in ", options.weights_path));
  }
  program.weights = memory;
  program.weights_bytes = status.st_size;
  XLA_RETURN_IF_ERROR(Check(table, static_cast<const char*>(memory), status.st_size));
  return static_cast<const char*>(memory);
}

void UnmapWeights(void* memory, int64_t bytes) { munmap(memory, static_cast<size_t>(bytes)); }

}  // namespace xla::aot
