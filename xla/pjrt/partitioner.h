// SPDX-License-Identifier: Apache-2.0
// How a program on whole values becomes the program of one partition: internal, users include
// partition.h.
//
// Each instruction keeps its full value; where its sharding is known it also gets a per-partition
// shard. Dead code elimination removes the unused one, so that full arrays are gathered only where
// something needs them.
#ifndef XLA_PJRT_PARTITIONER_H_
#define XLA_PJRT_PARTITIONER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/ir/hlo_sharding.h"
#include "xla/pjrt/partition.h"
#include "xla/pjrt/shard_emitter.h"
#include "xla/pjrt/shard_rules.h"
#include "xla/pjrt/tiles.h"

namespace xla::pjrt {

class Partitioner {
 public:
  Partitioner(HloModule* module, const std::vector<bool>& may_choose_output)
      : module_(*module),
        may_choose_output_(may_choose_output),
        partitions_(module->config().num_partitions()),
        emit_(module) {}

  absl::StatusOr<ProgramShardings> Run();

 private:
  // A value of which each partition has its shard.
  struct Divided {
    HloInstruction* shard;
    Tiles tiles;
    HloSharding sharding;
  };
  // An array of a parameter, which may be a tuple.
  struct ParameterLeaf {
    bool is_divided = false;
    Tiles tiles;
    HloSharding sharding;
  };
  // A tuple of values of which each partition has its shards.
  struct DividedTuple {
    HloInstruction* shard;
    std::vector<Tiles> elements;
  };
  // How an element is divided of a tuple that loops and conditionals pass. The state of a loop is
  // divided as it begins, or as the body makes it; where the two do not agree after all, every
  // partition has the whole.
  struct StateElement {
    std::optional<Tiles> tiles;
    int changes = 0;
  };
  using State = std::vector<StateElement>;
  struct Made {
    HloInstruction* shard;
    Tiles tiles;
  };
  struct Alike {
    Tiles tiles;
    HloSharding sharding;
  };

  // --- partition_parameters.cc: parameters become shards, from which whole arrays are gathered for
  // those who need them.
  absl::Status DivideParameters();
  // The shape of what a partition has of a parameter; how its leaves are divided, in order.
  absl::StatusOr<Shape> DivideShape(const Shape& whole, const HloSharding& sharding,
                                    std::vector<ParameterLeaf>& leaves) const;
  HloInstruction* GatherParameter(HloInstruction* shard, const Shape& whole,
                                  absl::Span<const ParameterLeaf> leaves, size_t& next);

  // --- partition.cc: manual computations begin and end with shards; results are divided as was
  // asked.
  // Joins tiles of a parameter or result that are not all of one size, in programs that Shardy
  // would divide; in others, shards have padding.
  absl::Status DivideEvenly(const Shape& whole, Tiles& tiles, HloSharding& sharding) const;
  absl::Status EnterAndLeaveManual(HloComputation* computation);
  absl::Status EnterManual(HloInstruction* call);
  absl::Status LeaveManual(HloInstruction* call);
  void FindDifferingConditionals();
  // `sharding`: of the value, or of all leaves of the result, of which the value is the next.
  absl::StatusOr<HloInstruction*> DivideResult(HloInstruction* value, const HloSharding& sharding);
  absl::StatusOr<HloInstruction*> DivideTupleResult(HloInstruction* tuple,
                                                    const HloSharding& sharding);
  absl::Status DivideResults();

  // --- partition_operations.cc: instructions, on shards as well where operands are divided
  absl::Status DivideOperations(HloComputation* computation);
  absl::Status DivideInstruction(HloInstruction* instruction);
  absl::Status DivideOperation(HloInstruction* instruction, const ShardForm& form,
                               HloSharding sharding);
  static std::optional<UnreducedKind> ReductionOf(const HloComputation& combiner);
  // The parts of a reduction, combined. Those of sums, maxima and minima are kept as they are, too,
  // for those who want addends.
  HloInstruction* CombinePartial(HloInstruction* instruction, HloInstruction* part,
                                 const ShardForm& form);
  // An element of a tuple of which there are shards.
  absl::Status DivideElement(HloInstruction* element);
  absl::Status DivideAnnotation(HloInstruction* annotation);
  // The annotation's sharding, completed by the operand's on unspecified dimensions.
  Tiles WithOpenDimensions(const HloInstruction& annotation, Tiles tiles,
                           const Tiles& operand) const;
  // Values of a sharding group are divided as a manual computation reads one of them, else as the
  // first that is divided.
  absl::Status DivideAlike(HloInstruction* value);
  // Null: the value is of no group, or of one that is not divided yet or does not fit.
  const Alike* AlikeOf(const HloInstruction& value) const;

  // --- partition_shards.cc: the shards of a value
  // The shards that there are of a value, or of what it annotates; null if there are none.
  const Divided* FindDivided(HloInstruction* value) const;
  // The tiles in which a value is at hand; none for whole arrays and sums.
  std::optional<Tiles> TilesAtHand(HloInstruction* value) const;
  // The tile that this partition has: at hand, computed from tiles of the operands, or cut out.
  absl::StatusOr<HloInstruction*> ShardOf(HloInstruction* whole, const Tiles& tiles);
  // As ShardOf, of what a value annotates as well.
  absl::StatusOr<HloInstruction*> ShardOfAnnotated(HloInstruction* value, const Tiles& tiles);
  // What adds up to a value over the groups of `tiles`: the parts of a sum before they are
  // combined, or the shards that the partitions of each group have, among zeros. Null if neither is
  // at hand.
  HloInstruction* AddendOf(HloInstruction* whole, const Tiles& tiles);
  // The same from addends of all operands, of operations that may come before the combination.
  HloInstruction* AddendFromOperands(HloInstruction* value, const Tiles& tiles);
  // Null if only the whole can be computed.
  absl::StatusOr<HloInstruction*> MakeShard(HloInstruction* whole, const Tiles& tiles);
  HloInstruction* IotaOfTile(HloInstruction* whole, const Shape& shape, const Tiles& tiles);
  // The whole value of which each partition has a shard; remembers the shards.
  absl::StatusOr<HloInstruction*> WholeOf(HloInstruction* shard, const Shape& whole,
                                          const HloSharding& sharding);

  // --- partition_calls.cc: custom calls that the caller partitions, and those that report
  // shardings
  absl::Status DivideCustomCall(HloInstruction* call);
  // The call gets the shards of its operands in place of whole values.
  absl::Status CallWithShards(HloInstruction* call);
  // In computations that work on whole values, too, once all others are final.
  absl::Status FinishCalls();

  // --- partition_state.cc: tuples that loops and conditionals pass
  // How the elements of a tuple are at hand; those that are annotated so, as sums.
  State StateOf(const HloInstruction& tuple) const;
  static bool IsDivided(const State& state);
  // Whether the computation may work on shards though it gets none.
  bool MayDivide(HloComputation* computation) const;
  // A copy of a body, condition or branch for a parameter that is divided.
  absl::StatusOr<HloComputation*> DivideState(const HloComputation& original, const State& state);
  static absl::StatusOr<Shape> ShapeOf(const Shape& whole, const State& state);
  // The elements of a divided tuple, gathered for those who need the whole. Sums are completed one
  // by one, or those of one kind by one instruction.
  absl::StatusOr<std::vector<HloInstruction*>> WholeElements(HloInstruction* tuple,
                                                             const Shape& whole, const State& state,
                                                             bool together);
  std::vector<HloInstruction*> CompleteSums(std::vector<HloInstruction*> shards, const State& state,
                                            bool together);
  // A tuple of which each partition has its shards.
  absl::StatusOr<HloInstruction*> ShardsOf(HloInstruction* tuple, const State& state);
  // Replaces a loop or conditional by one that gives shards.
  absl::Status ReplaceByDivided(HloInstruction* original, HloInstruction* divided,
                                const State& state);

  // --- partition_loops.cc: loops whose state is divided, conditionals whose operands or results
  // are
  absl::Status DivideLoop(HloInstruction* loop);
  // Whether the body makes the state as it is divided; else changes how that is.
  bool FollowBody(const HloInstruction& root, State& state);
  absl::Status DivideConditional(HloInstruction* conditional);

  HloModule& module_;
  const std::vector<bool>& may_choose_output_;
  const int64_t partitions_;
  ShardEmitter emit_;
  HloComputation* entry_ = nullptr;
  // Values that whole arrays were gathered to at the borders of the program and of manual
  // computations, and the conditionals of which not all partitions take the same branch.
  absl::flat_hash_set<const HloInstruction*> gathered_;
  absl::flat_hash_set<const HloInstruction*> differing_;
  int loop_depth_ = 0;
  int branch_depth_ = 0;
  int shard_depth_ = 0;
  absl::flat_hash_map<const HloInstruction*, Divided> divided_;
  absl::flat_hash_map<const HloInstruction*, DividedTuple> divided_tuples_;
  // Shards of values that are whole otherwise.
  absl::flat_hash_map<const HloInstruction*, Made> made_;
  // Parts that add up to values.
  absl::flat_hash_map<const HloInstruction*, Made> addends_;
  // How the values of sharding groups are divided.
  absl::flat_hash_map<std::string, Alike> groups_;
  ProgramShardings shardings_;
};

}  // namespace xla::pjrt

#endif  // XLA_PJRT_PARTITIONER_H_
