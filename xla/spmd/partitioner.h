// SPDX-License-Identifier: Apache-2.0
// How a program on full values becomes the program of one partition: internal, users include
// partition.h.
//
// Each instruction keeps its full_sharding value; where its sharding is known it also gets a
// per-partition shard. Dead code elimination removes the unused one, so that full_sharding arrays
// are gathered only where something needs them.
#ifndef XLA_SPMD_PARTITIONER_H_
#define XLA_SPMD_PARTITIONER_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/ir/hlo_sharding.h"
#include "xla/spmd/convolution_layouts.h"
#include "xla/spmd/dimension_sharding.h"
#include "xla/spmd/indexed_loops.h"
#include "xla/spmd/partition.h"
#include "xla/spmd/shard_emitter.h"
#include "xla/spmd/shard_layout.h"
#include "xla/spmd/sharding_strategy.h"

namespace xla::spmd {

class Partitioner {
 public:
  Partitioner(HloModule* module, const PartitionOptions& options)
      : module_(*module),
        options_(options),
        partitions_(module->config().num_partitions()),
        emit_(module) {}

  absl::StatusOr<ProgramShardings> Run();

  // The rows of an operand that windows of a shard of the results cover, and the window over them.
  struct WindowRows {
    RowRange range;
    WindowDim local;
    // The window is over rows with what is between them, from these on in each shard.
    bool is_dilated = false;
    std::vector<int64_t> offsets;
    int64_t window_length = 0;
  };
  static WindowRows WindowRange(const WindowDim& dim, int64_t dimension, int64_t size,
                                int64_t results, int64_t count);

 private:
  // A value of which each partition has its shard. Those that do not divide evenly end in padding
  // of any value.
  struct Sharded {
    HloInstruction* shard;
    ShardLayout layout;
    HloSharding sharding;
  };
  // An array of a parameter, which may be a tuple.
  struct ParameterLeaf {
    bool is_sharded = false;
    ShardLayout layout;
    HloSharding sharding;
  };
  // A tuple of values of which each partition has its shards.
  struct ShardedTuple {
    HloInstruction* shard;
    std::vector<ShardLayout> elements;
  };
  // How an element is divided of a tuple that loops and conditionals pass: as propagation says.
  // What it leaves open of the state of a loop is divided as it begins, or as the body makes it;
  // where the two do not agree after all, every partition has the full value.
  struct StateElement {
    std::optional<ShardLayout> layout;
    bool is_fixed = false;
    int changes = 0;
  };
  using State = std::vector<StateElement>;
  // The numbers of values among the operands of the tuple that has the results of the program.
  class ResultNumbers {
   public:
    // Precondition: the value is an operand. None where results are tuples themselves.
    std::optional<size_t> NumberOf(const HloInstruction& value, const HloInstruction& tuple);

   private:
    const HloInstruction* tuple_ = nullptr;  // that the rest is of
    bool has_arrays_ = false;
    absl::flat_hash_map<const HloInstruction*, size_t> numbers_;
  };
  struct Made {
    HloInstruction* shard;
    ShardLayout layout;
  };

  // --- partition_parameters.cc: parameters become shards, from which full arrays are gathered for
  // those who need them.
  absl::Status PartitionParameters();
  // The shape of what a partition has of a parameter; how its leaves are divided, in order.
  absl::StatusOr<Shape> ShardShapeOfParameter(const Shape& full, const HloSharding& sharding,
                                              std::vector<ParameterLeaf>& leaves) const;
  absl::StatusOr<HloInstruction*> GatherParameter(HloInstruction* shard, const Shape& full,
                                                  absl::Span<const ParameterLeaf> leaves,
                                                  size_t& next);

  // --- partition_manual.cc: manual computations begin and end with shards, which other axes may
  // divide further.
  absl::Status EnterAndLeaveManual(HloComputation* computation);
  // Not yet, where shards of the operand may be at hand later, unless this is the last time.
  absl::Status EnterManual(HloInstruction* call, bool is_last);
  // A value, and its shard in a manual computation, that are divided into the same shards.
  struct DividedShards {
    ShardLayout of_full, of_shard;
  };
  // How the shards of `outer`, which a manual computation gets of a value that is at hand divided,
  // are divided further: as is stated, else as the value is. None if they are not.
  std::optional<DividedShards> ShardsWithin(const HloInstruction& call, const Shape& full,
                                            const ShardLayout& at_hand,
                                            const ShardLayout& outer) const;
  // `local` is the shard that enters, of which there are shards then.
  absl::Status DivideEntering(const HloInstruction& call, HloInstruction* full,
                              const ShardLayout& outer, HloInstruction* local);
  // The shards that there are of the shard of a value that is divided so.
  std::optional<Sharded> ShardsOfShards(const HloInstruction* local,
                                        const ShardLayout& outer) const;
  absl::Status LeaveManual(HloInstruction* call);

  // --- partition.cc: results are divided as was asked.
  // Joins shards of a parameter or result that are not all of one size, in programs that Shardy
  // would divide; in others, shards have padding. A dimension of a size that is known at run time
  // stays whole.
  absl::Status MakeEven(const Shape& full, ShardLayout& layout, HloSharding& sharding) const;
  // Broadcasts are effects for dead code elimination; those that were added here are not.
  bool RemoveUnusedBroadcasts();
  void FindDivergentInstructions();
  // How a result of the program is divided, the leaf of this number of those in `of_all`.
  absl::StatusOr<std::pair<ShardLayout, HloSharding>> LayoutOfResult(
      const HloInstruction& value, size_t number, const HloSharding& of_all) const;
  // Whether a result that would be replicated is left as it is at hand.
  bool MayStayAsItIs(const ShardLayout& result, size_t number) const;
  // `sharding`: of the value, or of all leaves of the result, of which the value is the next.
  absl::StatusOr<HloInstruction*> PartitionResult(HloInstruction* value,
                                                  const HloSharding& sharding);
  absl::StatusOr<HloInstruction*> PartitionTupleResult(HloInstruction* tuple,
                                                       const HloSharding& sharding);
  absl::Status PartitionResults();

  // --- partition_operations.cc: instructions, on shards as well where operands are divided
  absl::Status PartitionOperations(HloComputation* computation);
  // Notes the sharding of an instruction for the caller.
  void CollectValue(const HloInstruction& instruction);
  absl::Status PartitionInstruction(HloInstruction* instruction);
  absl::Status PartitionByStrategy(HloInstruction* instruction);
  // Those of the operands, null where they are full or sums.
  std::vector<const ShardLayout*> KnownLayouts(const HloInstruction& instruction) const;
  absl::Status PartitionOperation(HloInstruction* instruction, const ShardingStrategy& strategy,
                                  HloSharding sharding);
  // The elements of the result's shard, from the shard of a reshape's operand, in any shape.
  HloInstruction* ReshapeRows(const HloInstruction& reshape, HloInstruction* shard,
                              const ShardingStrategy& strategy);
  // The layout that an annotation, or the result that it is, asks of an instruction's value; none
  // if that is not divided, or of parts of a sum.
  std::optional<ShardLayout> WantedLayout(const HloInstruction& instruction) const;
  // The same, and the full array where nothing but a result of the program is the value.
  std::optional<ShardLayout> NeededLayout(const HloInstruction& instruction) const;
  // The layout of the result that is all that uses the value.
  std::optional<ShardLayout> ResultLayout(const HloInstruction& instruction) const;
  // The strategy that communicates least, to what is wanted included; none if there is none.
  std::optional<ShardingStrategy> ChooseStrategy(const HloInstruction& instruction,
                                                 absl::Span<const ShardLayout* const> known) const;
  // Whether the cheapest strategy, to the layout that is needed, communicates less than what moves
  // rows of neighbors, as was just added for the instruction.
  bool IsCheaperByStrategy(const HloInstruction& instruction);
  int64_t CostOf(const HloInstruction& instruction, const ShardingStrategy& strategy,
                 absl::Span<const ShardLayout* const> known,
                 const std::optional<ShardLayout>& wanted) const;
  // An instruction that states its own sharding, but is no annotation, has shards of that.
  absl::Status TakeOwnSharding(HloInstruction* instruction);
  // Who needs the full value of an instruction that is divided gets it by a gather of the result,
  // where that is cheaper than gathers of the operands.
  absl::Status GatherResult(HloInstruction* instruction);

  // --- partition_barrier.cc: barriers pass shards, if there are any.
  absl::Status PartitionBarrier(HloInstruction* barrier);

  // --- partition_collectives.cc: collectives of the program exchange shards where the partitions
  // of a group have the same ones.
  absl::StatusOr<bool> PartitionCollective(HloInstruction* collective);

  // --- partition_padding.cc: shards of sizes that do not divide evenly
  // The shard with `fill`, a scalar, in the padding of these dimensions.
  HloInstruction* FillPadding(HloInstruction* shard, const Shape& full, const ShardLayout& layout,
                              absl::Span<const int64_t> dimensions, HloInstruction* fill);
  // The shard of an operand with padding that leaves the result of its user as it is.
  HloInstruction* WithoutPaddingFor(const HloInstruction& user, size_t operand,
                                    HloInstruction* shard, const ShardLayout& layout);

  // --- partition_slice.cc, partition_concatenate.cc, partition_windows.cc, partition_indexed.cc,
  // partition_reductions.cc: instructions that need other partitions along a divided dimension.
  // Whether they took the instruction.
  struct Source {
    HloInstruction* shard = nullptr;  // null: the value is full
    ShardLayout layout;
  };
  Source SourceOf(HloInstruction* value) const;
  absl::StatusOr<bool> PartitionAlongDividedDimension(HloInstruction* instruction);
  bool PartitionSlice(HloInstruction* slice);
  // Along dimensions that do not divide evenly, whose padding changes ends.
  bool PartitionReverse(HloInstruction* reverse);
  absl::StatusOr<bool> PartitionShifts(HloInstruction* call);
  bool PartitionPad(HloInstruction* pad);
  absl::StatusOr<bool> PartitionConcatenate(HloInstruction* concatenate);
  // As the largest operand that is divided along the dimension, or as the result is wanted.
  std::optional<ShardLayout> LayoutOfConcatenation(const HloInstruction& concatenate) const;
  // Gets these rows; `dim` becomes the window over them.
  HloInstruction* RowsOfWindow(HloInstruction* shard, const ShardLayout& layout, int64_t dimension,
                               int64_t size, int64_t results, HloInstruction* fill, WindowDim& dim);
  absl::StatusOr<bool> PartitionReduceWindow(HloInstruction* reduce_window);
  // partition_select_and_scatter.cc
  absl::StatusOr<bool> PartitionSelectAndScatter(HloInstruction* instruction);
  absl::StatusOr<bool> PartitionConvolution(HloInstruction* convolution);
  void DivideConvolution(const HloInstruction& convolution, const ConvolutionFactor& factor,
                         int64_t count, const ConvolutionLayouts& layouts,
                         std::vector<HloInstruction*>* operands, ConvolutionAttributes* local);
  // partition_ragged.cc
  absl::StatusOr<bool> PartitionRaggedDot(HloInstruction* product);
  // The sizes of the parts of groups of rows that are within `rows` rows from `start` on, an s32.
  HloInstruction* SizesWithin(HloInstruction* sizes, HloInstruction* start, int64_t rows);
  absl::StatusOr<bool> PartitionDynamicSlice(HloInstruction* slice);
  // What a device receives of the full value, by gathers of it or of what it is put together from.
  int64_t BytesOfFull(HloInstruction* value) const;
  absl::StatusOr<bool> PartitionDynamicUpdateSlice(HloInstruction* update);
  absl::StatusOr<bool> PartitionGather(HloInstruction* gather);
  absl::StatusOr<bool> GatherOnShards(HloInstruction* gather, absl::Span<const IndexedLoop> loops,
                                      const IndexedLayouts& layouts,
                                      const std::optional<ShardLayout>& wanted);
  absl::StatusOr<bool> PartitionScatter(HloInstruction* scatter);
  absl::Status ScatterOnShards(HloInstruction* scatter, absl::Span<const IndexedLoop> loops,
                               const IndexedLayouts& layouts);
  // The shards of its operands. `parts`: the layout of results that are combined afterwards.
  absl::StatusOr<std::vector<HloInstruction*>> ShardsToScatter(const HloInstruction& scatter,
                                                               const IndexedLayouts& layouts,
                                                               const ShardLayout& parts);
  HloInstruction* CombineScattered(const HloInstruction* scatter, HloInstruction* part,
                                   const ShardLayout& parts);
  // What ways to divide them communicate, to the layout that is wanted of the result included.
  int64_t CostOfGather(const HloInstruction& gather, const IndexedLayouts& layouts,
                       const Source& operand, const Source& indices,
                       const std::optional<ShardLayout>& wanted) const;
  int64_t CostOfScatter(const HloInstruction& scatter, const IndexedLayouts& layouts,
                        absl::Span<const Source> sources,
                        const std::optional<ShardLayout>& wanted) const;
  bool PartitionCumulative(HloInstruction* reduce_window);
  absl::StatusOr<bool> PartitionVariadicReduce(HloInstruction* reduce);
  // Replaces the instruction, or remembers shards of it.
  absl::Status SetResult(HloInstruction* instruction, HloInstruction* shard,
                         const ShardLayout& layout);

  // The parts of a reduction, combined. Those of sums, maxima and minima are kept as they are, too,
  // for those who want partial values.
  HloInstruction* CombinePartial(HloInstruction* instruction, HloInstruction* part,
                                 const ShardingStrategy& strategy);
  // An element of a tuple of which there are shards.
  absl::Status PartitionElement(HloInstruction* element);
  // The size of a dimension that is not divided is that of each shard.
  absl::StatusOr<bool> PartitionSizes(HloInstruction* instruction);
  absl::Status PartitionAnnotation(HloInstruction* annotation);

  // --- partition_shards.cc: the shards of a value
  // The shards that there are of a value, or of what it annotates; null if there are none.
  const Sharded* FindSharded(HloInstruction* value) const;
  // The shards in which a value is at hand; none for full arrays and sums.
  std::optional<ShardLayout> KnownLayout(HloInstruction* value) const;
  // The shard that this partition has: at hand, computed from shards of the operands, or cut out.
  absl::StatusOr<HloInstruction*> ShardOf(HloInstruction* full, const ShardLayout& layout);
  // Remembers the shard that each partition has of a value.
  void SetShard(HloInstruction* full, HloInstruction* shard, const ShardLayout& layout);
  // As ShardOf, of what a value annotates as well.
  absl::StatusOr<HloInstruction*> ShardOfAnnotated(HloInstruction* value,
                                                   const ShardLayout& layout);
  // What adds up to a value over the groups of `layout`: the parts of a sum before they are
  // combined, or the shards that the partitions of each group have, among zeros. Null if neither is
  // at hand.
  HloInstruction* PartialOf(HloInstruction* full, const ShardLayout& layout);
  // The same from partial values of all operands, of operations that may come before the
  // combination.
  HloInstruction* PartialFromOperands(HloInstruction* value, const ShardLayout& layout);
  // A sum of values whose parts are at hand is the sum of sums of parts: one reduction, not two.
  absl::StatusOr<bool> PartitionSum(HloInstruction* instruction);
  // Null if only the full can be computed.
  absl::StatusOr<HloInstruction*> MakeShard(HloInstruction* full, const ShardLayout& layout);
  HloInstruction* IotaOfShard(HloInstruction* full, const Shape& shape, const ShardLayout& layout);
  // The full value of which each partition has a shard; remembers the shards.
  absl::StatusOr<HloInstruction*> FullOf(HloInstruction* shard, const Shape& full,
                                         const HloSharding& sharding);

  // --- partition_calls.cc: custom calls that the caller partitions, and those that report
  // shardings
  absl::Status PartitionCall(HloInstruction* call);
  // The call gets the shards of its operands in place of full values.
  absl::Status CallWithShards(HloInstruction* call);
  // Whether the caller partitions this custom call.
  bool HasPartitioner(const HloInstruction& instruction) const;
  // In computations that work on full values, too, once all others are final.
  absl::Status FinishCalls();

  // --- partition_state.cc: tuples that loops and conditionals pass
  // How the elements of a tuple are at hand; those that are annotated so, as sums.
  State StateOf(const HloInstruction& tuple) const;
  // Elements that the sharding of a tuple, as propagation gave it, divides evenly are that.
  void FixElements(const HloInstruction& tuple, State& state) const;
  static bool IsSharded(const State& state);
  // Whether the computation may work on shards though it gets none.
  bool MayPartition(HloComputation* computation) const;
  // A copy of a body, condition or branch for a parameter that is divided.
  absl::StatusOr<HloComputation*> PartitionState(const HloComputation& original,
                                                 const State& state);
  static absl::StatusOr<Shape> ShapeOf(const Shape& full, const State& state);
  // The elements of a divided tuple, gathered for those who need the full value. Sums are completed
  // one by one, or those of one kind by one instruction.
  absl::StatusOr<std::vector<HloInstruction*>> FullElements(HloInstruction* tuple,
                                                            const Shape& full, const State& state,
                                                            bool together);
  std::vector<HloInstruction*> CompleteSums(std::vector<HloInstruction*> shards, const State& state,
                                            bool together);
  // A tuple of which each partition has its shards.
  absl::StatusOr<HloInstruction*> ShardsOf(HloInstruction* tuple, const State& state);
  // Whatever has this shard, which is about to be removed, has its replacement. Of what the program
  // computes, only results of manual computations are shards.
  void ReplaceShard(const HloInstruction* shard, HloInstruction* replacement);
  // Replaces a loop or conditional by one that gives shards.
  absl::Status ReplaceBySharded(HloInstruction* original, HloInstruction* divided,
                                const State& state);

  // --- partition_loops.cc: loops whose state is divided, conditionals whose operands or results
  // are
  absl::Status PartitionLoop(HloInstruction* loop);
  // Whether the body makes the state as it is divided; else changes how that is.
  bool FollowBody(const HloInstruction& root, State& state);
  // Elements that are full as the loop begins, and that the body gathers, become full: it gathers
  // what it makes of them instead, which is at hand after the loop. Not those that it would compute
  // in full. Whether there are any. `full`: the root of the body, of full values.
  bool LeaveFull(const State& begin, const HloInstruction& full, const HloComputation& body,
                 State& state) const;
  absl::Status PartitionConditional(HloInstruction* conditional);

  HloModule& module_;
  const PartitionOptions& options_;
  const int64_t partitions_;
  ShardEmitter emit_;
  HloComputation* entry_ = nullptr;
  HloSharding result_sharding_;         // as propagation gave it
  std::vector<bool> unstated_results_;  // leaves of the result, in the program
  mutable ResultNumbers results_;
  // Values that full arrays were gathered to: at the borders of the program and of manual
  // computations, and results of operations on shards.
  absl::flat_hash_set<const HloInstruction*> gathered_;
  // What manual computations return, which are shards of the program's own, and the full values.
  absl::flat_hash_set<const HloInstruction*> manual_results_, left_manual_;
  // The conditionals, slices, updates, gathers and scatters of which not all partitions take the
  // same branch or have the same indices.
  absl::flat_hash_set<const HloInstruction*> divergent_;
  int loop_depth_ = 0;
  int branch_depth_ = 0;
  int shard_depth_ = 0;
  absl::flat_hash_map<const HloInstruction*, Sharded> sharded_;
  absl::flat_hash_map<const HloInstruction*, ShardedTuple> sharded_tuples_;
  // Shards of values that are full otherwise.
  absl::flat_hash_map<const HloInstruction*, Made> made_;
  // Parts that add up to values.
  absl::flat_hash_map<const HloInstruction*, Made> partials_;
  ProgramShardings shardings_;
};

}  // namespace xla::spmd

#endif  // XLA_SPMD_PARTITIONER_H_
