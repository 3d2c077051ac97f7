// SPDX-License-Identifier: Apache-2.0
// Arrays that options give: files of --input, and --param by name.
//
// Members of .npz files that belong to one device are named after it: "device3/arg00".
#ifndef XYLEM_TOOLS_GIVEN_ARRAYS_H_
#define XYLEM_TOOLS_GIVEN_ARRAYS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/array_file.h"
#include "tools/command.h"
#include "tools/device_grid.h"
#include "xla/shape.h"

namespace xla {

// --input and --param.
OptionSpec InputOption();
OptionSpec ParamOption();
// Whether one of them was given.
bool GivesArguments(const Arguments& arguments);

// An array of --param.
struct NamedArray {
  std::string name;
  std::shared_ptr<const ArrayFile> file;
  size_t index = 0;  // in the file
};

// NAME=FILE, NAME=FILE:KEY or NAME=VALUE. Without KEY, the file has one array, or one of that name.
absl::StatusOr<NamedArray> OpenParam(const std::string& text);

// An array of a file, by its name without that of the device. It is read on demand.
struct DeviceArray {
  std::string where;    // file and member, for errors
  int64_t device = -1;  // -1: for all
  std::string name;
  std::shared_ptr<const ArrayFile> file;
  size_t index = 0;  // in the file
};

// The arrays of a file, or the one that is written out. INVALID_ARGUMENT for a device outside the
// grid.
absl::StatusOr<std::vector<DeviceArray>> ReadDeviceArrays(const std::string& path,
                                                          const DeviceGrid& grid);

// The arrays of --input and --param for all devices, by the position that they have among the
// arguments, from their headers alone: before the program is known.
struct InputArray {
  int64_t position = 0;
  Shape shape;
  std::optional<int64_t> integer;  // the value of an integer scalar
};
absl::StatusOr<std::vector<InputArray>> ReadInputArrays(const Arguments& arguments);

// The error with what it is about before its message.
absl::Status About(const std::string& where, const absl::Status& status);

}  // namespace xla

#endif  // XYLEM_TOOLS_GIVEN_ARRAYS_H_
