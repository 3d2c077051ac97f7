// SPDX-License-Identifier: Apache-2.0
// Random programs whose operations build on each other, so that the compiler fuses, moves and
// reuses what it can. All floating-point values are small whole numbers: results do not depend on
// the order of sums, and both backends must give the same.
#ifndef XYLEM_TESTS_CPU_RANDOM_CHAIN_H_
#define XYLEM_TESTS_CPU_RANDOM_CHAIN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "xla/xla_data_enums.h"

namespace xla::testing {

// A value of a computation: its name in the text, and what bounds its magnitude.
struct ChainValue {
  std::string name;
  PrimitiveType type = F32;
  std::vector<int64_t> dims;
  double bound = 0;  // of floating-point values
};

// Writes one program. The text follows from the seed.
class RandomChain {
 public:
  explicit RandomChain(uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 1) {}

  std::string Write();

 private:
  using Dims = std::vector<int64_t>;
  struct Scope {
    std::string lines;
    std::vector<ChainValue> values;
  };

  uint64_t Next();
  int64_t Below(int64_t n) { return static_cast<int64_t>(Next() % static_cast<uint64_t>(n)); }
  bool OneIn(int64_t n) { return Below(n) == 0; }
  int64_t Size();
  Dims RandomDims(int max_rank);
  PrimitiveType NumberType();

  ChainValue Pick();
  // A recent value of at least this rank.
  ChainValue PickOfRank(size_t rank);
  ChainValue Emit(PrimitiveType type, Dims dims, double bound, const std::string& operation);
  std::string NewName(const char* kind);
  // An existing value, or one that is made, of this type and these dimensions.
  ChainValue Match(PrimitiveType type, const Dims& dims);
  ChainValue Fit(const ChainValue& value, PrimitiveType type, const Dims& dims);
  ChainValue Converted(const ChainValue& value, PrimitiveType type);
  ChainValue Bounded(const ChainValue& value, double bound);
  ChainValue Scalar(PrimitiveType type, int64_t value);
  ChainValue Broadcast(const ChainValue& value, const Dims& dims, const Dims& dimensions);
  ChainValue Index();
  std::string Combiner(const char* opcode, PrimitiveType type);
  // A computation of the given parameters that ends in a value of this type; its name.
  std::string Computation(const std::vector<ChainValue>& parameters, PrimitiveType type,
                          const Dims& dims, double bound);

  void Thunk();
  void Unary();
  void Binary();
  void CompareSelect();
  void Clamp();
  void Convert();
  void Reshape();
  void Transpose();
  void BroadcastStep();
  void Slice();
  void Pad();
  void Concatenate();
  void Reverse();
  void DynamicSlice();
  void DynamicUpdateSlice();
  void Gather();
  void Scatter();
  void GatherElements();
  void ScatterWindow();
  void Reduce();
  void ArgMax();
  void ReduceWindow();
  void Dot();
  void Convolution();
  void Sort();
  void While();
  void Conditional();
  void Call();

  uint64_t state_;
  int number_ = 0;
  int depth_ = 0;
  Scope scope_;
  std::string computations_;
};

}  // namespace xla::testing

#endif  // XYLEM_TESTS_CPU_RANDOM_CHAIN_H_
