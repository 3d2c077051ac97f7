// SPDX-License-Identifier: Apache-2.0
// Vectors of narrow integers that do not lie side by side in memory.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "xla/cpu/codegen/element.h"

namespace xla::cpu {
namespace {

constexpr int64_t kWordBytes = 4;

// Words of 32 bits, each with the bytes of one element from a bit on.
struct Words {
  IrValue value = nullptr;
  std::vector<int64_t> shifts;
};

// Loads all that lies between the elements as vectors of words, the last of which ends with the
// last element, and picks the words.
Words PickWords(Ir& ir, IrValue place, int64_t step, int64_t bytes, int lanes, bool invariant) {
  const IrType vector = ir.Vector(ir.I32(), lanes);
  const int64_t end = (lanes - 1) * step + bytes, vector_bytes = lanes * kWordBytes;
  Words words;
  for (int64_t begin = 0; begin < end; begin += vector_bytes) {
    const int64_t first = std::min(begin, end - vector_bytes);
    const IrValue part =
        ir.Load(vector, ir.Offset(place, ir.Index(first)), static_cast<int>(bytes), invariant);
    std::vector<int> order(static_cast<size_t>(lanes));
    std::iota(order.begin(), order.end(), 0);
    for (auto lane = static_cast<int64_t>(words.shifts.size()); lane < lanes; ++lane) {
      const int64_t at = lane * step - first;
      if (at >= vector_bytes) break;
      order[static_cast<size_t>(lane)] = lanes + static_cast<int>(at / kWordBytes);
      words.shifts.push_back(at % kWordBytes * 8);
    }
    words.value = ir.Shuffle(words.value == nullptr ? part : words.value, part, order);
  }
  return words;
}

// Gathers words that begin with the elements, but for the last, which ends with its element: no
// byte after it is read.
Words GatherWords(Ir& ir, IrValue place, int64_t step, int64_t bytes, int lanes) {
  Words words;
  std::vector<int64_t> offsets;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    const int64_t back = lane == lanes - 1 ? kWordBytes - bytes : 0;
    offsets.push_back(lane * step - back);
    words.shifts.push_back(back * 8);
  }
  const IrValue all = ir.Const(ir.Vector(ir.I1(), lanes), int64_t{-1});
  words.value =
      ir.MaskedGather(ir.Vector(ir.I32(), lanes),
                      ir.Offset(place, ir.ConstLanes(ir.Vector(ir.I64(), lanes), offsets)),
                      static_cast<int>(bytes), all);
  return words;
}

}  // namespace

IrValue ElementOps::LoadNarrowApart(IrType element, IrValue place, int64_t step, int lanes,
                                    bool invariant) {
  const int vector_bytes = ir_.target().machine.vector_bytes;
  if (lanes > 4 && lanes * kWordBytes > vector_bytes) {
    // Register by register.
    const int half = lanes / 2;
    const IrValue low = LoadNarrowApart(element, place, step, half, invariant);
    const IrValue second = ir_.Offset(place, ir_.Index(half * step));
    return ir_.Concat(low, LoadNarrowApart(element, second, step, half, invariant));
  }
  const int64_t bytes = ir_.Bits(element) / 8;
  // AVX-512 picks from two vectors by one instruction.
  const int64_t most_vectors = ir_.target().machine.avx512 ? 16 : 8;
  const Words words = step <= most_vectors * kWordBytes
                          ? PickWords(ir_, place, step, bytes, lanes, invariant)
                          : GatherWords(ir_, place, step, bytes, lanes);
  const IrType type = ir_.TypeOf(words.value);
  return ir_.Trunc(ir_.LShr(words.value, ir_.ConstLanes(type, words.shifts)),
                   ir_.WithElement(type, element));
}

}  // namespace xla::cpu
