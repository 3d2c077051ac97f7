// SPDX-License-Identifier: Apache-2.0
// Memories and layouts that a program names for its arguments and results.
#ifndef XLA_PJRT_ENTRY_ATTRIBUTES_H_
#define XLA_PJRT_ENTRY_ATTRIBUTES_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/mlir/source.h"
#include "xla/shape.h"

namespace xla::pjrt {

// The kinds of memories of each device, in order; the first is its default. All of them are the
// memory of the host: the kinds exist for callers that ask for them.
inline constexpr std::string_view kMemoryKinds[] = {"device", "pinned_host", "unpinned_host"};

struct EntryAttributes {
  struct Value {
    size_t memory = 0;                    // a position in kMemoryKinds
    std::vector<int64_t> minor_to_major;  // empty: row-major
    bool may_choose_layout = false;       // if minor_to_major is empty
    // Whether a sharding is stated that is not open in all dimensions: the partitioner may divide
    // values without one.
    bool states_sharding = false;
  };
  std::vector<Value> parameters, results;  // may be shorter than the signature: defaults follow
};

// The attributes mhlo.memory_kind, mhlo.layout_mode, mhlo.sharding and sdy.sharding of the function
// @main. InvalidArgument for an unknown kind and for a layout that is none.
absl::StatusOr<EntryAttributes> ReadEntryAttributes(const mlir::Source& source);

// Returns the memory spaces of an entry computation layout.
EntryAttributes AttributesOfLayout(const ProgramShape& layout);

// Removes the custom calls LayoutConstraint, as values have no layouts within a program. A result
// that is one gets its layout, if none was asked for.
absl::Status TakeLayoutConstraints(HloModule* module, EntryAttributes& attributes);

// Chooses the layouts of results that are left to the compiler: a transposed array keeps the layout
// of its operand.
void ChooseLayouts(const HloModule& module, EntryAttributes& attributes);

// Lays out the leaves of a shape as the attributes say, row-major otherwise. InvalidArgument for
// layouts of another rank.
absl::Status SetLayouts(const std::vector<EntryAttributes::Value>& values, size_t first,
                        Shape* shape);

}  // namespace xla::pjrt

#endif  // XLA_PJRT_ENTRY_ATTRIBUTES_H_
