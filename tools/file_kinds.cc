// SPDX-License-Identifier: Apache-2.0
#include "tools/file_kinds.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "tools/npy_header.h"
#include "tools/safetensors.h"
#include "xla/base/string_view.h"
#include "xla/mlir/bytecode_reader.h"

namespace xla {
namespace {

struct MagicBytes {
  std::string_view bytes;
  std::string_view description;
};

using std::string_view_literals::operator""sv;

// First bytes of formats that are met where programs and arrays are expected.
constexpr MagicBytes kMagicBytes[] = {
    {"\x1f\x8b"sv, "this is gzip-compressed twice, or is no program"},
    {"\x28\xb5\x2f\xfd"sv, "this is zstd-compressed; decompress it first (zstd -d)"},
    {"\xfd"
     "7zXZ\0"sv,
     "this is xz-compressed; decompress it first (xz -d)"},
    {"BZh"sv, "this is bzip2-compressed; decompress it first (bzip2 -d)"},
    {"\x04\x22\x4d\x18"sv, "this is lz4-compressed; decompress it first (lz4 -d)"},
    {"\x7f"
     "ELF"sv,
     "this is an ELF file (an object, library or executable)"},
    {"!<arch>\n"sv, "this is an archive of objects (.a)"},
    {"BC\xc0\xde"sv, "this is LLVM bitcode"},
    {"\x89HDF\r\n\x1a\n"sv, "this is an HDF5 file"},
    {"\x89PNG\r\n\x1a\n"sv, "this is a PNG image"},
    {"GGUF"sv, "this is a GGUF file"},
    {"%PDF-"sv, "this is a PDF document"},
    {"#!"sv, "this is a script"},
    {"<!DOCTYPE"sv, "this is HTML"},
    {"<html"sv, "this is HTML"},
    {"<?xml"sv, "this is XML"},
    {"; ModuleID"sv, "this is LLVM IR"},
    {"\xef\xbb\xbf"sv, "the file begins with a UTF-8 byte order mark"},
    {"\xff\xfe"sv, "the file is UTF-16; expected ASCII or UTF-8"},
    {"\xfe\xff"sv, "the file is UTF-16; expected ASCII or UTF-8"},
};

std::string_view WithoutSpace(std::string_view bytes) {
  while (!bytes.empty() && std::isspace(static_cast<unsigned char>(bytes[0])) != 0)
    bytes.remove_prefix(1);
  return bytes;
}

std::string_view FirstWord(std::string_view text) {
  const auto end = std::find_if(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_';
  });
  return text.substr(0, static_cast<size_t>(end - text.begin()));
}

// A JSON object or array: "{" or "[", and then what may begin inside of it.
bool LooksLikeJson(std::string_view text) {
  if (text.empty() || (text[0] != '{' && text[0] != '[')) return false;
  const bool is_object = text[0] == '{';
  text = WithoutSpace(text.substr(1));
  if (text.empty()) return true;
  if (is_object) return text[0] == '"' || text[0] == '}';
  return std::string_view("\"[]{-0123456789tfn").find(text[0]) != std::string_view::npos;
}

struct Extension {
  std::string_view suffix, format;
};
constexpr Extension kExtensions[] = {
    {".hlo", "hlo"},       {".pb", "hlo-proto"}, {".mlir", "stablehlo"},
    {".mlirbc", "mlirbc"}, {".npy", "npy"},      {".npz", "npz"},
    {".ll", "llvm"},       {".s", "asm"},        {".asm", "asm"},
    {".o", "object"},      {".obj", "object"},   {".json", "json"},
    {".pbtxt", "pbtxt"},   {".gz", "gzip"},      {".zst", "zstd"},
    {".txt", "text"},      {".csv", "csv"},      {".tsv", "csv"},
    {".so", "library"},    {".h5", "hdf5"},      {".hdf5", "hdf5"},
    {".png", "png"},       {".onnx", "onnx"},    {".safetensors", "safetensors"},
    {".html", "html"},     {".dot", "dot"},
};
// What a name that promises text may hold.
constexpr std::string_view kTextFormats[] = {"hlo",  "stablehlo", "llvm",     "asm",
                                             "json", "plan",      "schedule", "buffers"};

constexpr std::pair<std::string_view, std::string_view> kFormatNames[] = {
    {"hlo", "HLO text"},
    {"hlo-proto", "an HloModuleProto"},
    {"stablehlo", "StableHLO text"},
    {"mlirbc", "a portable artifact of StableHLO"},
    {"npy", "a .npy array"},
    {"npz", "a .npz archive"},
    {"llvm", "LLVM IR"},
    {"asm", "assembly"},
    {"object", "an object file"},
    {"json", "JSON"},
    {"pbtxt", "a text proto"},
    {"gzip", "gzip-compressed data"},
    {"zstd", "zstd-compressed data"},
    {"text", "text"},
    {"csv", "a table of text"},
    {"library", "a shared library"},
    {"hdf5", "an HDF5 file"},
    {"png", "an image"},
    {"onnx", "an ONNX model"},
    {"safetensors", "a safetensors file"},
    {"html", "a page"},
    {"dot", "a graph for Graphviz"},
};

std::string NameOfFormat(std::string_view format) {
  for (const auto& [known, name] : kFormatNames) {
    if (known == format) return std::string(name);
  }
  return std::string(format);
}

bool IsTerminal(const std::string& path) {
  if (path == "-") return isatty(STDOUT_FILENO) == 1;
  struct stat info;
  if (stat(path.c_str(), &info) != 0 || !S_ISCHR(info.st_mode)) return false;
  const int fd = open(path.c_str(), O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return false;
  const bool is_terminal = isatty(fd) == 1;
  close(fd);
  return is_terminal;
}

}  // namespace

std::string DisplayName(std::string_view path) {
  return path == "-" ? std::string("<stdin>") : std::string(path);
}

std::string DescribeForeignFile(std::string_view bytes) {
  const std::string_view text = WithoutSpace(bytes);
  if (text.empty()) return "the file is empty";
  for (const MagicBytes& magic : kMagicBytes) {
    if (bytes.starts_with(magic.bytes)) return std::string(magic.description);
  }
  if (IsSafetensors(bytes)) return "";
  if (LooksLikeJson(text)) return "this is JSON";
  return "";
}

std::string DescribeArrayFile(std::string_view bytes) {
  if (IsNpy(bytes)) return "this is a .npy array, not a program; arrays are given with --input";
  if (bytes.starts_with("PK\x03\x04") || bytes.starts_with("PK\x05\x06"))
    return "this is a .npz or .zip archive, not a program; arrays are given with --input";
  if (IsSafetensors(bytes))
    return "this is a safetensors file, not a program; arrays are given with --input";
  return "";
}

std::string DescribeProgramFile(std::string_view bytes) {
  if (mlir::IsBytecode(bytes)) return "this is MLIR bytecode, not an array (.npy, .npz)";
  const std::string_view word = FirstWord(WithoutSpace(bytes));
  if (word == "HloModule" || word == "ENTRY") return "this is HLO text, not an array (.npy, .npz)";
  if (word == "module" || word == "func") return "this is MLIR text, not an array (.npy, .npz)";
  return "";
}

std::string_view FormatOfName(std::string_view path) {
  const size_t slash = path.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  for (const Extension& extension : kExtensions) {
    if (name.size() > extension.suffix.size() && name.ends_with(extension.suffix))
      return extension.format;
  }
  return "";
}

absl::Status CheckOutputName(std::string_view path, std::string_view format) {
  const std::string_view named = FormatOfName(path);
  if (named.empty() || named == format) return absl::OkStatus();
  if (named == "text" && std::count(std::begin(kTextFormats), std::end(kTextFormats), format) > 0)
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(View(path), ": by its name this would be ",
                                                 NameOfFormat(named), ", but it would hold ",
                                                 NameOfFormat(format)));
}

OptionSpec ForceOption() {
  return {.name = "--force",
          .value = "",
          .help = "write binary data to a terminal, too",
          .short_name = "-f"};
}

absl::Status CheckBinaryTarget(const std::string& path, std::string_view what,
                               const Arguments& arguments) {
  if (arguments.Has("--force") || !IsTerminal(path)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(View(what),
                   " is binary and is not written to a terminal; give a file with "
                   "--output, or --force (-f)"));
}

}  // namespace xla
