// SPDX-License-Identifier: Apache-2.0
// The language server for HLO and StableHLO text (Language Server Protocol 3.17, over standard
// input and output): diagnostics, definition, references, hover, completion, formatting, rename,
// symbols.
#ifndef XYLEM_TOOLS_LSP_SERVER_H_
#define XYLEM_TOOLS_LSP_SERVER_H_

#include <functional>
#include <string>

#include "absl/status/statusor.h"

namespace xla::lsp {

// Where messages come from and go to.
struct Connection {
  // Reads up to `size` bytes; 0 at the end.
  std::function<size_t(char* data, size_t size)> read;
  std::function<void(const std::string& bytes)> write;
};

// Serves until the client says exit, or the end. Returns the exit code that the protocol asks for:
// 0 after shutdown, else 1. Malformed messages are answered with errors; an error of its own is
// returned where no message can be told from the next any more.
absl::StatusOr<int> Serve(const Connection& connection);

}  // namespace xla::lsp

#endif  // XYLEM_TOOLS_LSP_SERVER_H_
