// SPDX-License-Identifier: Apache-2.0
// What a program is linked with by need: the groups of code of libxylem_runtime.a
// (xla/kernels/by_need.h, shim/hwy/highway.h) that its kernels may call.
#ifndef XLA_AOT_LINKS_H_
#define XLA_AOT_LINKS_H_

#include <set>
#include <string>
#include <string_view>

#include "xla/base/machine.h"
#include "xla/kernels/recipe.h"
#include "xla/xla_data_enums.h"

namespace xla::aot {

class Links {
 public:
  // The code of the best instruction set of a machine.
  void AddMachine(const Machine& machine);
  // The code for elements of a type.
  void AddType(PrimitiveType type);
  // The code that a function of xla/aot/runtime/library_steps.h needs.
  void AddLibraryStep(std::string_view function);
  // The code that a kernel needs in addition to that for its types.
  void AddRecipe(const kernels::Recipe& recipe);

  // The symbols that a program must name, sorted.
  std::set<std::string> Symbols() const;

 private:
  std::set<std::string> groups_;
};

}  // namespace xla::aot

#endif  // XLA_AOT_LINKS_H_
