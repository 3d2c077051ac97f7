// SPDX-License-Identifier: Apache-2.0
// Elements of HLO arrays as values of generated code: how each type is kept in registers, and how
// it is read from and written to memory.
//
//   PRED                      i1; a byte in memory
//   integers                  their own width, at least 8 bits
//   F16, BF16 and narrower    float; rounded to the type after each operation
//   complex numbers           two values
#ifndef XLA_CPU_CODEGEN_ELEMENT_H_
#define XLA_CPU_CODEGEN_ELEMENT_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "xla/cpu/codegen/ir.h"
#include "xla/cpu/codegen/native_code.h"
#include "xla/xla_data_enums.h"

namespace xla::cpu {

// One element, or a vector of elements. `im` is set for complex numbers only. In code of several
// lanes, a scalar has the same value in all lanes.
struct Element {
  IrValue re = nullptr;
  IrValue im = nullptr;
};

// The addresses of elements in memory: lane i is at pointer + bytes + i * step or, if `lanes` is
// set, at pointer + bytes + lanes[i].
struct ElementAddress {
  IrValue pointer;
  IrValue bytes;
  int64_t step = 0;
  IrValue lanes = nullptr;
  IrValue mask = nullptr;  // lanes to read; null: all
  // The lanes of the mask are equal, and memory may be read in spite of it: it saves the access.
  bool is_mask_uniform = false;
  bool invariant = false;  // nothing writes there while the code runs
};

class ElementOps {
 public:
  explicit ElementOps(Ir& ir) : ir_(ir) {}

  Ir& ir() const { return ir_; }
  // Returns the type in registers of a real element, or of the real or imaginary part of a complex
  // one.
  IrType RegisterType(PrimitiveType type) const;
  // Returns the type of such a part in memory.
  IrType MemoryType(PrimitiveType type) const;

  Element Load(PrimitiveType type, const ElementAddress& given, int lanes);
  // Loads neighboring elements of as many rows as there are lanes, `stride` elements apart: the
  // vector c < columns holds element c of each row. The rows are loaded as vectors and transposed.
  // `room` is the number of elements of the last row that may be read.
  std::vector<Element> LoadColumns(PrimitiveType type, const ElementAddress& address,
                                   int64_t stride, int columns, int64_t room, int lanes);
  // Stores contiguous lanes. `streams`: see Ir::Store.
  void Store(PrimitiveType type, const Element& element, IrValue pointer, IrValue bytes,
             bool streams = false);

  // Wraps or rounds the result of an operation in registers to the type.
  Element Round(PrimitiveType type, Element element);
  // Rounds the result of an arithmetic operation on operands of this type.
  Element RoundResult(PrimitiveType type, Element element);
  Element Convert(PrimitiveType from, PrimitiveType to, const Element& element);
  // Convert between a value and its bits in memory, an integer as wide as one part.
  IrValue ToBits(PrimitiveType type, IrValue value);
  IrValue FromBits(PrimitiveType type, IrValue bits);

  Element Constant(PrimitiveType type, const void* native);
  Element Zero(PrimitiveType type);
  Element Splat(Element element, int lanes);
  Element Select(IrValue condition, Element a, Element b);
  // Interleaves the lanes of real vectors of equal length: the first lane of each, then the second
  // of each, and so on.
  Element Interleave(absl::Span<const Element> elements);
  int Lanes(const Element& element) const { return ir_.Lanes(element.re); }

  // Whether the code visits several rows of memory at a time, as windows do. If its arithmetic is
  // short there, processors look so far ahead that they lose track of the rows: a 3x3 maximum over
  // 51 MB took 2.7 ms instead of 1.4 on one thread of Zen 5 with half as many instructions.
  bool visits_rows() const { return visits_rows_; }
  void set_visits_rows(bool visits_rows) { visits_rows_ = visits_rows; }

 private:
  Element LoadApart(PrimitiveType type, const ElementAddress& address, IrValue place, int lanes);
  IrValue LoadStrided(IrType element, IrValue place, int element_bytes, int stride, int lanes,
                      IrValue mask, bool invariant);
  // Loads integers of 8 or 16 bits that are `step` bytes apart, which is more than 4, by way of
  // words of 32 bits: few processors move single bytes between lanes, or gather them.
  IrValue LoadNarrowApart(IrType element, IrValue place, int64_t step, int lanes, bool invariant);
  IrValue RoundBf16(IrValue value, bool may_have_any_nan);
  IrValue FloatToInteger(IrValue value, PrimitiveType to);
  IrValue IntegerToOddF64(PrimitiveType from, IrValue value);
  IrValue NarrowToOdd(IrValue value);

  Ir& ir_;
  bool visits_rows_ = false;
};

// Returns the functions that generated code may call.
absl::Span<const ExternalFunction> ExternalFunctions();

}  // namespace xla::cpu

#endif  // XLA_CPU_CODEGEN_ELEMENT_H_
