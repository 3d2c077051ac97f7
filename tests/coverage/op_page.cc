// SPDX-License-Identifier: Apache-2.0
#include "tests/coverage/op_page.h"

#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tools/ops_page.h"
#include "xla/base/string_view.h"
#include "xla/hlo/ir/hlo_opcode.h"

namespace xla {
namespace {

std::vector<HloOpcode> OpcodesOf(OpFamily family) {
  std::vector<HloOpcode> opcodes;
  for (int i = 0; i < kNumHloOpcodes; ++i) {
    const auto opcode = static_cast<HloOpcode>(i);
    if (GetOpInfo(opcode).family == family) opcodes.push_back(opcode);
  }
  return opcodes;
}

constexpr OpFamily kFamilies[] = {
    OpFamily::kLeaf,          OpFamily::kElementwise, OpFamily::kReshape,
    OpFamily::kGatherScatter, OpFamily::kReduce,      OpFamily::kNormalization,
    OpFamily::kWindow,        OpFamily::kSort,        OpFamily::kContraction,
    OpFamily::kLinearAlgebra, OpFamily::kRandom,      OpFamily::kControl,
    OpFamily::kAsync,         OpFamily::kEffect,      OpFamily::kCollective,
};

constexpr std::string_view kIntroduction = R"(# Operations

Every operation of HLO: the functions of the builder that make it, its rule, its text, an example.
This page is made by `op_coverage --page`; edit `xla/hlo/ir/opcodes_*.def` and `tests/operations/`, not the page
(`make operations`). `xylem ops NAME` shows one operation, `build/op_coverage` which parts of the
system support it and for which element types.

## How to read this page
**Builder.** Functions of `xla/hlo/builder/xla_builder.h`; each is also a member of `XlaBuilder`. Binary functions accept operands
of different shapes: a scalar with anything, equal ranks where sizes of 1 stretch, different ranks with `broadcast_dimensions`,
which says for each dimension of the smaller operand which one of the larger it is. In HLO text the operands of elementwise
operations have equal dimensions: the builder writes the broadcasts out. Mistakes are reported by `Build()`.

**Text.** `result = shape opcode(operands), attribute=value, ...`. Attributes that may be left out have a default. Every
instruction also takes `sharding`, `metadata`, `backend_config`, `frontend_attributes`, `control-predecessors` and
`statistics`.

**Values.** Layouts never change a result. Narrow floating-point types compute in f32 and round once to nearest, ties to even;
sums in f16, bf16 and f8 accumulate in f32. Results are the same bits for any number of threads.

**Examples** check themselves: `check.expect_eq` compares bits, `check.expect_close` allows three units in the last place,
`check.expect_almost_eq` one thousandth. `xylem test tests/operations/*.hlo` runs them.

**Replicas and partitions.** A program runs on `replica_count` x `num_partitions` devices (module header). Collectives connect those
of a group. `replica_groups` holds replica ids without `channel_id`; with a `channel_id` it holds partition ids (all-to-all,
collective-permute, collective-broadcast), replica ids that span all partitions (all-gather, all-reduce, reduce-scatter), or with
`use_global_device_ids=true` flattened ids, replica * num_partitions + partition. No groups at all are one group of all.

)";

}  // namespace

std::string OpsPage() {
  std::string out(kIntroduction);
  absl::StrAppend(&out, "## Contents\n| family | operations |\n|---|---|\n");
  for (const OpFamily family : kFamilies) {
    const std::string_view title = OpFamilyTitle(family);
    absl::StrAppend(&out, "| [", View(title), "](#", OpAnchor(title), ") |");
    for (const HloOpcode opcode : OpcodesOf(family)) {
      const std::string_view name = HloOpcodeString(opcode);
      absl::StrAppend(&out, " [", View(name), "](#", OpAnchor(name), ")");
    }
    absl::StrAppend(&out, " |\n");
  }
  absl::StrAppend(&out, "\n");
  for (const OpFamily family : kFamilies) {
    absl::StrAppend(&out, "## ", View(OpFamilyTitle(family)), "\n\n");
    for (const HloOpcode opcode : OpcodesOf(family)) absl::StrAppend(&out, OpSection(opcode));
  }
  while (out.size() > 1 && out[out.size() - 2] == '\n') out.pop_back();
  return out;
}

}  // namespace xla
