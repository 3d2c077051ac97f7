// SPDX-License-Identifier: Apache-2.0
#include "xla/blas/workspace.h"

#include <cstdlib>
#include <memory>

namespace xla::blas {
namespace {

struct Free {
  void operator()(char* memory) const { std::free(memory); }
};

}  // namespace

char* ThreadWorkspace() {
  static thread_local std::unique_ptr<char, Free> memory;
  if (memory == nullptr) memory.reset(static_cast<char*>(std::aligned_alloc(64, kWorkspaceBytes)));
  return memory.get();
}

}  // namespace xla::blas
