// SPDX-License-Identifier: Apache-2.0
// xylem lsp: the language server, over standard input and output.
#include <unistd.h>

#include <cerrno>
#include <string>

#include "tools/command.h"
#include "tools/lsp/server.h"

namespace xla {
namespace {

size_t ReadInput(char* data, size_t size) {
  while (true) {
    const ssize_t count = ::read(STDIN_FILENO, data, size);
    if (count >= 0) return static_cast<size_t>(count);
    if (errno != EINTR) return 0;
  }
}

void WriteOutput(const std::string& bytes) {
  size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t count = ::write(STDOUT_FILENO, bytes.data() + written, bytes.size() - written);
    if (count < 0 && errno != EINTR) return;  // the client is gone, which its input will say
    if (count > 0) written += static_cast<size_t>(count);
  }
}

absl::StatusOr<int> Lsp(const Arguments&) { return lsp::Serve({ReadInput, WriteOutput}); }

}  // namespace

Command LspCommand() {
  return {
      "lsp",
      "",
      "serve editors: diagnostics, definitions, hover, completion for .hlo and .mlir",
      "Speaks the Language Server Protocol over standard input and output. Editors start it; the\n"
      "folder editors of the sources has an extension for VS Code.",
      {{"--stdio", "", "serve over standard input and output, as always"}},
      0,
      0,
      Lsp};
}

}  // namespace xla
