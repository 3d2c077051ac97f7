// SPDX-License-Identifier: Apache-2.0
// What a file is, by its first bytes or by its name.
#ifndef XYLEM_TOOLS_FILE_KINDS_H_
#define XYLEM_TOOLS_FILE_KINDS_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "tools/command.h"

namespace xla {

// How messages call a file: "<stdin>" for "-".
std::string DisplayName(std::string_view path);

// A sentence about bytes that are neither a program nor an array, but something that a user may
// take for one: "this is gzip-compressed; decompress it first (gzip -d)". Empty if nothing is
// known of them, and for programs and arrays themselves.
std::string DescribeForeignFile(std::string_view bytes);

// The same about arrays, where a program is expected, and about programs, where arrays are.
std::string DescribeArrayFile(std::string_view bytes);
std::string DescribeProgramFile(std::string_view bytes);

// The format that a file of this name has by convention, as options name it: hlo, hlo-proto,
// stablehlo, mlirbc, npy, npz, llvm, asm, object, json, or one that is not written (csv, text, ..).
// Empty: the name says nothing.
std::string_view FormatOfName(std::string_view path);

// INVALID_ARGUMENT if the name of an output file promises another format than the one written.
absl::Status CheckOutputName(std::string_view path, std::string_view format);

// --force, for outputs that may be binary.
OptionSpec ForceOption();
// INVALID_ARGUMENT if bytes that no terminal shows would go to one: `path` is "-" or a terminal,
// and --force was not given.
absl::Status CheckBinaryTarget(const std::string& path, std::string_view what,
                               const Arguments& arguments);

}  // namespace xla

#endif  // XYLEM_TOOLS_FILE_KINDS_H_
