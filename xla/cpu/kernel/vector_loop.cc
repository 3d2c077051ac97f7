// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/kernel/vector_loop.h"

#include <algorithm>
#include <numeric>

namespace xla::cpu {

void EmitLoopWithScalarTail(Ir& ir, const VectorRange& range,
                            absl::FunctionRef<void(const IndexTerm&)> vector,
                            absl::FunctionRef<void(const IndexTerm&)> scalar) {
  const int64_t lanes = range.lanes;
  const int64_t in_vectors = lanes > 1 ? range.length / lanes * lanes : 0;
  if (in_vectors > 0) {
    ir.Loop(range.first, ir.Binary("llvm.smin", range.last, ir.Index(in_vectors)), lanes,
            [&](IrValue i) {
              vector({i, 1, lanes});
            });
  }
  if (in_vectors < range.length) {
    ir.Loop(ir.Binary("llvm.smax", range.first, ir.Index(in_vectors)), range.last, 1,
            [&](IrValue i) {
              scalar({i, 0, 1});
            });
  }
}

void EmitLoopFromFirst(Ir& ir, int lanes, IrValue first, IrValue last,
                       absl::FunctionRef<void(const IndexTerm&)> vector,
                       absl::FunctionRef<void(const IndexTerm&)> scalar) {
  IrValue rest = first;
  if (lanes > 1) {
    rest = ir.Add(first, ir.And(ir.Sub(last, first), ir.Index(-int64_t{lanes})));
    ir.Loop(first, rest, lanes, [&](IrValue i) { vector({i, 1, lanes}); });
  }
  ir.Loop(rest, last, 1, [&](IrValue i) { scalar({i, 0, 1}); });
}

IndexTerm LastVector(Ir& ir, int64_t length, int lanes) {
  return {ir.Index(length - lanes), 1, std::gcd(length - lanes, int64_t{lanes})};
}

void EmitVectorLoop(Ir& ir, const VectorRange& range, TailPolicy tail, bool unrolls,
                    absl::FunctionRef<void(const IndexTerm&)> vector) {
  const int64_t length = range.length, lanes = range.lanes, last_vector = length - lanes;
  const bool is_clamped = tail == TailPolicy::kClamped;
  if (unrolls) {
    for (int64_t i = 0; i + (is_clamped ? 0 : lanes - 1) < length; i += lanes) {
      const int64_t start = std::min(i, last_vector);
      vector({ir.Index(start), 1, std::gcd(start, lanes)});
    }
    return;
  }
  IrValue end = range.last;
  if (tail == TailPolicy::kOverlapFirst) {
    end = ir.Index(length / lanes * lanes);
    if (range.is_last != nullptr) end = ir.Binary("llvm.smin", range.last, end);
  }
  ir.Loop(range.first, end, lanes, [&](IrValue i) {
    if (!is_clamped) {
      vector({i, 1, lanes});
    } else {
      vector({ir.Binary("llvm.smin", i, ir.Index(last_vector)), 1, std::gcd(last_vector, lanes)});
    }
  });
}

}  // namespace xla::cpu
