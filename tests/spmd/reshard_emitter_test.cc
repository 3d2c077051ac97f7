// SPDX-License-Identifier: Apache-2.0
// Resharded arrays have the right elements on each device.
#include "xla/spmd/reshard_emitter.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "absl/strings/str_cat.h"
#include "tests/test_util.h"
#include "xla/hlo/ir/hlo_sharding.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/interpreter/interpreter.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"

namespace xla::spmd {
namespace {

using Index = std::vector<int64_t>;

// The element of the array at an index, or -1 beyond its end.
int32_t ElementAt(const Shape& shape, const Index& index) {
  int64_t element = 0;
  for (size_t d = 0; d < index.size(); ++d) {
    const int64_t size = shape.dimensions(static_cast<int>(d));
    if (index[d] >= size) return -1;
    element = element * size + index[d];
  }
  return static_cast<int32_t>(element + 1);
}

// The position of a device along axes.
int64_t Position(const Mesh& mesh, int64_t device, const std::vector<AxisRef>& axes) {
  int64_t position = 0;
  AxesGroups(mesh, axes).Each([&](absl::Span<const int64_t> index, int64_t d) {
    if (d == device) position = index[1];
  });
  return position;
}

// What the device has: its shard, with -1 for padding; parts of sums are factors times the value.
Literal ShardOf(const NamedSharding& sharding, const Shape& shape, int64_t device, int32_t factor) {
  Index sizes, starts;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    sizes.push_back(CeilOfRatio(shape.dimensions(static_cast<int>(d)), sharding.dimension(d)));
    starts.push_back(sizes.back() *
                     Position(sharding.mesh(), device, sharding.dim_sharding(d).axes()));
  }
  Literal shard = Literal::CreateFromShape(ShapeUtil::MakeShape(S32, sizes));
  ShapeUtil::ForEachIndex(shard.shape(), [&](absl::Span<const int64_t> index) {
    Index whole(index.begin(), index.end());
    for (size_t d = 0; d < whole.size(); ++d) whole[d] += starts[d];
    const int32_t element = ElementAt(shape, whole);
    shard.Set<int32_t>(index, element < 0 ? -1 : element * factor);
    return true;
  });
  return shard;
}

NamedSharding RandomSharding(const Mesh& mesh, size_t rank, bool may_be_unreduced,
                             std::mt19937& random) {
  std::vector<AxisRef> parts;
  for (const AxisRef& axis : mesh.AllAxes()) {
    if (axis.size(mesh) % 4 == 0 && random() % 3 > 0) {
      for (int64_t begin = 1; begin < axis.size(mesh); begin *= 2) {
        parts.push_back(AxisRef(axis.mesh_axis_index(), {begin, 2}));
      }
    } else {
      parts.push_back(axis);
    }
  }
  std::shuffle(parts.begin(), parts.end(), random);
  std::vector<std::vector<AxisRef>> dims(rank);
  std::vector<AxisRef> unreduced;
  for (const AxisRef& part : parts) {
    const size_t role = random() % (rank + 2);
    if (role < rank) AppendAxis(part, mesh, dims[role]);
    if (role == rank && may_be_unreduced) unreduced.push_back(part);
  }
  SortAndMergeAxes(unreduced, mesh);
  std::vector<NamedSharding::DimensionSharding> result;
  for (std::vector<AxisRef>& axes : dims) result.emplace_back(std::move(axes));
  return NamedSharding(mesh, std::move(result), {}, std::move(unreduced));
}

Mesh RandomMesh(std::mt19937& random) {
  const std::vector<std::vector<int64_t>> all = {{2},    {4}, {2, 2}, {2, 3},    {6},
                                                 {4, 2}, {8}, {16},   {2, 2, 2}, {2, 2, 2, 2}};
  const std::vector<int64_t>& sizes = all[random() % all.size()];
  std::vector<std::string> names;
  for (size_t i = 0; i < sizes.size(); ++i) names.push_back(absl::StrCat("a", i));
  if (random() % 3 > 0) return Mesh(sizes, names);
  std::vector<int64_t> ids(static_cast<size_t>(Mesh(sizes, names).num_devices()));
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int64_t>(i);
  std::shuffle(ids.begin(), ids.end(), random);
  return *Mesh::Create(sizes, names, ids);
}

// Factors of the parts of a sum, which add up to 1.
int32_t FactorOf(const NamedSharding& sharding, int64_t device) {
  const std::vector<AxisRef>& axes = sharding.unreduced_axes();
  const int64_t count = AxesSize(axes, sharding.mesh());
  return Position(sharding.mesh(), device, axes) == 0 ? static_cast<int32_t>(count) : -1;
}

TEST(ReshardEmitter, DevicesHaveTheElementsOfTheirShards) {
  std::mt19937 random(1);
  std::map<ReshardStep::Kind, int> kinds;
  for (int round = 0; round < 600; ++round) {
    const Mesh mesh = RandomMesh(random);
    const size_t rank = 1 + random() % 3;
    std::vector<int64_t> dims;
    for (size_t d = 0; d < rank; ++d) {
      const int64_t choices[] = {8, 12, 5, 3};
      dims.push_back(choices[random() % 4]);
    }
    const Shape shape = ShapeUtil::MakeShape(S32, dims);
    const bool is_partial = random() % 3 == 0;
    const NamedSharding from = RandomSharding(mesh, rank, is_partial, random);
    NamedSharding to = RandomSharding(mesh, rank, /*may_be_unreduced=*/false, random);
    if (random() % 8 == 0) {
      std::vector<int64_t> ids(static_cast<size_t>(mesh.num_devices()));
      for (size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int64_t>(i);
      std::shuffle(ids.begin(), ids.end(), random);
      to = NamedSharding(*Mesh::Create(mesh.axis_sizes(),
                                       {mesh.axis_names().begin(), mesh.axis_names().end()}, ids),
                         to.dim_shardings());
    }
    ASSERT_OK_AND_ASSIGN(const std::vector<ReshardStep> steps, PlanReshard(from, to, shape));
    SCOPED_TRACE(from.ToString() + " to " + to.ToString() + " of " + shape.ToString() + "\n" +
                 ReshardToString(steps));
    for (const ReshardStep& step : steps) ++kinds[step.kind];

    HloModuleConfig config;
    config.set_num_partitions(mesh.num_devices());
    HloModule module("reshard", config);
    HloComputation* entry = module.AddComputation("entry");
    module.set_entry_computation(entry);
    std::vector<Literal> literals;
    for (int64_t device = 0; device < mesh.num_devices(); ++device) {
      literals.push_back(ShardOf(from, shape, device, FactorOf(from, device)));
    }
    HloInstruction* parameter =
        entry->AddInstruction(HloInstruction::CreateParameter(0, literals[0].shape(), "shard"));
    ShardEmitter emit(&module);
    entry->set_root_instruction(EmitReshard(parameter, from, steps, shape, emit));
    ASSERT_OK(VerifyModule(module));
    std::vector<std::vector<const Literal*>> pointers;
    for (const Literal& literal : literals) pointers.push_back({&literal});
    ASSERT_OK_AND_ASSIGN(
        const std::vector<Literal> results,
        InterpretReplicated(module, 1, static_cast<int>(mesh.num_devices()), pointers, {}));
    for (int64_t device = 0; device < mesh.num_devices(); ++device) {
      const Literal expected = ShardOf(to, shape, device, 1);
      const Literal& result = results[static_cast<size_t>(device)];
      ASSERT_EQ(result.shape().dimensions(), expected.shape().dimensions());
      ShapeUtil::ForEachIndex(expected.shape(), [&](absl::Span<const int64_t> index) {
        if (expected.Get<int32_t>(index) < 0) return true;  // padding
        EXPECT_EQ(result.Get<int32_t>(index), expected.Get<int32_t>(index)) << "device " << device;
        return true;
      });
    }
  }
  // All kinds were tried, but for one that gives parts of sums.
  EXPECT_EQ(kinds.size(), 6u);
}

TEST(ReshardEmitter, PartsOfSumsAddUp) {
  const Mesh mesh({2, 2}, {"x", "y"});
  const Shape shape = ShapeUtil::MakeShape(S32, {4});
  const NamedSharding from = NamedSharding::FullyClosed(mesh, 1);
  const NamedSharding partial(mesh, {NamedSharding::DimensionSharding()}, {}, {AxisRef(1)});
  ASSERT_OK_AND_ASSIGN(std::vector<ReshardStep> steps, PlanReshard(from, partial, shape));
  ASSERT_OK_AND_ASSIGN(const std::vector<ReshardStep> back, PlanReshard(partial, from, shape));
  steps.insert(steps.end(), back.begin(), back.end());
  ASSERT_EQ(steps.size(), 2u);
  HloModuleConfig config;
  config.set_num_partitions(4);
  HloModule module("reshard", config);
  HloComputation* entry = module.AddComputation("entry");
  module.set_entry_computation(entry);
  HloInstruction* parameter =
      entry->AddInstruction(HloInstruction::CreateParameter(0, shape, "shard"));
  ShardEmitter emit(&module);
  entry->set_root_instruction(EmitReshard(parameter, from, steps, shape, emit));
  ASSERT_OK(VerifyModule(module));
  const Literal value = LiteralUtil::CreateR1<int32_t>({1, 2, 3, 4});
  ASSERT_OK_AND_ASSIGN(
      const std::vector<Literal> results,
      InterpretReplicated(module, 1, 4, {{&value}, {&value}, {&value}, {&value}}, {}));
  for (const Literal& result : results) EXPECT_EQ(result, value);
}

TEST(ReshardEmitter, GroupsOfManyDevicesAreAnIota) {
  const Mesh mesh({256, 4096}, {"x", "y"});
  EXPECT_EQ(GroupsAlong(mesh, {AxisRef(0)}).ToString(), "[4096,256]<=[256,4096]T(1,0)");
}

}  // namespace
}  // namespace xla::spmd
