// SPDX-License-Identifier: Apache-2.0
// Combines updates with elements: by copying, by one operation of wide elements, or by any
// computation.
#include "xla/interpreter/combiner.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "xla/base/status_macros.h"
#include "xla/interpreter/strided_copy.h"
#include "xla/interpreter/wide_ops.h"
#include "xla/primitive_util.h"

namespace xla::interpreter {
namespace {

// The update replaces the element.
class OverwritingCombiner : public Combiner {
 public:
  OverwritingCombiner(int64_t bytes, char* operand, const char* update)
      : bytes_(bytes), operand_(operand), update_(update) {}

  absl::Status Run(EvalContext&, int64_t count, int64_t operand, int64_t operand_stride,
                   int64_t other, int64_t other_stride) override {
    char* dst = operand_ + operand * bytes_;
    const char* src = update_ + other * bytes_;
    if (operand_stride == 1 && other_stride == 1) {
      std::memcpy(dst, src, count * bytes_);
    } else {
      StridedCopySerial(bytes_, {count}, src, {other_stride}, dst, {operand_stride});
    }
    return absl::OkStatus();
  }

 private:
  const int64_t bytes_;
  char* const operand_;
  const char* const update_;
};

// One operation of wide elements, rounded after each update.
template <typename Wide>
class WideCombiner : public Combiner {
 public:
  WideCombiner(const WideOps<Wide>& ops, PrimitiveType type, char* operand, const char* update)
      : ops_(ops),
        ports_(type),
        bytes_(primitive_util::ByteWidth(type)),
        operand_(operand),
        update_(update) {}

  absl::Status Run(EvalContext&, int64_t count, int64_t operand, int64_t operand_stride,
                   int64_t other, int64_t other_stride) override {
    constexpr int64_t kBlock = 256;
    Wide a[kBlock], b[kBlock];
    for (int64_t i = 0; i < count; i += kBlock) {
      const int64_t block = std::min(kBlock, count - i);
      char* dst = operand_ + (operand + i * operand_stride) * bytes_;
      ports_.Load(dst, operand_stride, block, a);
      ports_.Load(update_ + (other + i * other_stride) * bytes_, other_stride, block, b);
      ops_.combine(a, b, block);
      ports_.Store(a, block, dst, operand_stride);
    }
    return absl::OkStatus();
  }

 private:
  const WideOps<Wide>& ops_;
  const WidePorts<Wide> ports_;
  const int64_t bytes_;
  char* const operand_;
  const char* const update_;
};

// Any computation on any number of operands: runs are gathered into contiguous lanes.
class GeneralCombiner : public Combiner {
 public:
  GeneralCombiner(const ScalarFunction& function, std::vector<char*> operands,
                  std::vector<const char*> updates, std::vector<int64_t> bytes)
      : function_(function),
        operands_(std::move(operands)),
        updates_(std::move(updates)),
        bytes_(std::move(bytes)) {
    int64_t total = 0;
    for (const int64_t b : bytes_) total += 2 * b * kLanes;
    lanes_.resize(total / sizeof(lanes_[0]) + 2);
    char* next = reinterpret_cast<char*>(lanes_.data());
    std::vector<const void*> update_lanes;
    for (const int64_t b : bytes_) {
      out_.push_back(next);
      in_.push_back(next);
      update_lanes.push_back(next + b * kLanes);
      next += 2 * b * kLanes;
    }
    in_.insert(in_.end(), update_lanes.begin(), update_lanes.end());
  }

  absl::Status Run(EvalContext& ctx, int64_t count, int64_t operand, int64_t operand_stride,
                   int64_t other, int64_t other_stride) override {
    const size_t n = bytes_.size();
    for (int64_t i = 0; i < count; i += kLanes) {
      const int64_t block = std::min(kLanes, count - i);
      for (size_t k = 0; k < n; ++k) {
        const int64_t b = bytes_[k];
        Copy(b, block, operands_[k] + (operand + i * operand_stride) * b, operand_stride, out_[k],
             1);
        Copy(b, block, updates_[k] + (other + i * other_stride) * b, other_stride,
             const_cast<void*>(in_[n + k]), 1);
      }
      XLA_RETURN_IF_ERROR(function_.Apply(ctx, block, in_, absl::MakeConstSpan(out_)));
      for (size_t k = 0; k < n; ++k) {
        const int64_t b = bytes_[k];
        Copy(b, block, out_[k], 1, operands_[k] + (operand + i * operand_stride) * b,
             operand_stride);
      }
    }
    return absl::OkStatus();
  }

 private:
  static constexpr int64_t kLanes = 256;

  static void Copy(int64_t bytes, int64_t count, const void* src, int64_t src_stride, void* dst,
                   int64_t dst_stride) {
    if (src_stride == 1 && dst_stride == 1) {
      std::memcpy(dst, src, count * bytes);
    } else {
      StridedCopySerial(bytes, {count}, src, {src_stride}, dst, {dst_stride});
    }
  }

  const ScalarFunction& function_;
  const std::vector<char*> operands_;
  const std::vector<const char*> updates_;
  const std::vector<int64_t> bytes_;
  std::vector<uint64_t> lanes_;
  std::vector<void*> out_;
  std::vector<const void*> in_;
};

}  // namespace

std::unique_ptr<Combiner> MakeCombiner(const ScalarFunction& function, absl::Span<Value> operands,
                                       absl::Span<const Value> updates) {
  std::vector<char*> operand_data;
  std::vector<const char*> update_data;
  std::vector<int64_t> bytes;
  for (size_t k = 0; k < operands.size(); ++k) {
    operand_data.push_back(static_cast<char*>(operands[k].mutable_untyped_data()));
    update_data.push_back(static_cast<const char*>(updates[k].untyped_data()));
    bytes.push_back(primitive_util::ByteWidth(operands[k].element_type()));
  }
  const PrimitiveType type = operands[0].element_type();
  if (operands.size() == 1 && function.forwarded_parameter() == 1) {
    return std::make_unique<OverwritingCombiner>(bytes[0], operand_data[0], update_data[0]);
  }
  if (operands.size() == 1 && function.binary().has_value()) {
    std::unique_ptr<Combiner> combiner =
        WithWideOf(type, [&](auto sample) -> std::unique_ptr<Combiner> {
          using Wide = decltype(sample);
          const WideOps<Wide>* ops = GetWideOps<Wide>(function.binary()->opcode);
          if (ops == nullptr) return nullptr;
          return std::make_unique<WideCombiner<Wide>>(*ops, type, operand_data[0], update_data[0]);
        });
    if (combiner != nullptr) return combiner;
  }
  return std::make_unique<GeneralCombiner>(function, std::move(operand_data),
                                           std::move(update_data), std::move(bytes));
}

}  // namespace xla::interpreter
