// SPDX-License-Identifier: Apache-2.0
// Recognition of comparators, and integer keys that order as they do.
#include "xla/interpreter/sort_key.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "xla/kernels/sort/sort.h"
#include "xla/kernels/sort/total_order.h"
#include "xla/kernels/wide.h"
#include "xla/literal.h"
#include "xla/primitive_util.h"

namespace xla::interpreter {
namespace {

constexpr int64_t kBlock = 256;

}  // namespace

// Builds the expression of the left side and checks that the right side is the same expression of
// the other parameter.
class SortKey::Builder {
 public:
  explicit Builder(SortKey* key) : key_(*key) {}

  // Register of `lhs`, or -1.
  int32_t Add(const HloInstruction* lhs, const HloInstruction* rhs, int depth) {
    constexpr int kMaxDepth = 64;
    constexpr size_t kMaxRegisters = 256;
    if (depth > kMaxDepth || key_.registers_.size() > kMaxRegisters) return -1;
    if (const auto found = known_.find({lhs, rhs}); found != known_.end()) return found->second;
    const int32_t number = AddNew(lhs, rhs, depth);
    known_[{lhs, rhs}] = number;
    return number;
  }

  int64_t lhs_parameter = -1, rhs_parameter = -1;

 private:
  int32_t AddNew(const HloInstruction* lhs, const HloInstruction* rhs, int depth) {
    if (lhs->opcode() != rhs->opcode() || !lhs->shape().IsArray() || lhs->shape().rank() != 0 ||
        lhs->shape().element_type() != rhs->shape().element_type()) {
      return -1;
    }
    Register result;
    result.bytes = static_cast<int8_t>(primitive_util::ByteWidth(lhs->shape().element_type()));
    if (lhs->opcode() == HloOpcode::kParameter) {
      if (lhs_parameter < 0) {
        lhs_parameter = lhs->parameter_number();
        rhs_parameter = rhs->parameter_number();
      }
      if (lhs->parameter_number() != lhs_parameter || rhs->parameter_number() != rhs_parameter)
        return -1;
      if (key_.registers_.empty()) key_.registers_.push_back(std::move(result));
      return 0;
    }
    // The element is the first register: its place is kept if a constant comes first.
    if (key_.registers_.empty()) key_.registers_.emplace_back();
    if (lhs->opcode() == HloOpcode::kConstant) {
      if (!(lhs->literal() == rhs->literal())) return -1;
      const char* bits = static_cast<const char*>(lhs->literal().untyped_data());
      for (int64_t i = 0; i < kBlock; ++i)
        result.constant.insert(result.constant.end(), bits, bits + result.bytes);
      return Append(std::move(result));
    }
    if (lhs->operand_count() != rhs->operand_count() || !(lhs->attributes() == rhs->attributes()))
      return -1;
    for (int64_t i = 0; i < lhs->operand_count(); ++i) {
      const int32_t operand = Add(lhs->operand(i), rhs->operand(i), depth + 1);
      if (operand < 0) return -1;
      result.operands.push_back(operand);
    }
    const bool same_bits =
        lhs->opcode() == HloOpcode::kBitcastConvert || lhs->opcode() == HloOpcode::kCopy ||
        lhs->opcode() == HloOpcode::kBitcast || lhs->opcode() == HloOpcode::kReshape;
    if (same_bits) {
      const PrimitiveType from = lhs->operand(0)->shape().element_type(),
                          to = lhs->shape().element_type();
      // Types narrower than a byte are stored differently.
      if (lhs->operand(0)->shape().rank() != 0 ||
          primitive_util::BitWidth(from) != primitive_util::BitWidth(to) ||
          (from != to && primitive_util::BitWidth(from) < 8)) {
        return -1;
      }
      result.alias = result.operands[0];
      return Append(std::move(result));
    }
    result.kernel = ElementwiseKernel::For(*lhs);
    if (!result.kernel.has_value()) return -1;
    return Append(std::move(result));
  }

  int32_t Append(Register result) {
    key_.registers_.push_back(std::move(result));
    return static_cast<int32_t>(key_.registers_.size() - 1);
  }

  SortKey& key_;
  absl::flat_hash_map<std::pair<const HloInstruction*, const HloInstruction*>, int32_t> known_;
};

std::optional<SortKey> SortKey::FromComparator(const HloComputation& comparator) {
  const HloInstruction* root = comparator.root_instruction();
  if (root->opcode() != HloOpcode::kCompare) return std::nullopt;
  const auto& attributes = root->attributes<CompareAttributes>();
  const bool less = attributes.direction == ComparisonDirection::kLt;
  if (!less && attributes.direction != ComparisonDirection::kGt) return std::nullopt;

  SortKey key;
  Builder builder(&key);
  const int32_t compared = builder.Add(root->operand(0), root->operand(1), 0);
  if (compared < 0 || builder.lhs_parameter < 0) return std::nullopt;
  const int64_t lhs = builder.lhs_parameter, rhs = builder.rhs_parameter;
  if (lhs / 2 != rhs / 2 || lhs == rhs) return std::nullopt;
  key.operand_ = lhs / 2;
  key.type_ = root->operand(0)->shape().element_type();
  if (primitive_util::IsComplexType(key.type_)) return std::nullopt;
  key.registers_[0].bytes = static_cast<int8_t>(
      primitive_util::ByteWidth(comparator.parameter_instruction(lhs)->shape().element_type()));
  key.total_order_ = attributes.type.value_or(Comparison::DefaultComparisonType(key.type_)) ==
                     ComparisonType::kFloatTotalOrder;
  key.descending_ = less != (lhs < rhs);
  // Compute takes the last register.
  key.registers_.resize(compared + 1);
  return key;
}

bool SortKey::ToKeys(int64_t count, const void* elements, int64_t* keys) const {
  kernels::TotalOrderKeys(type_, /*descending=*/false, count, elements, keys);
  bool ordered = true;
  if (primitive_util::IsFloatingPointType(type_) && !total_order_) {
    // The keys of -inf and +inf bound those of numbers; -1 is negative zero.
    double wide[kBlock];
    kernels::GetWideLoad<double>(type_)(elements, 1, count, wide);
    for (int64_t i = 0; i < count; ++i) {
      ordered &= wide[i] == wide[i];
      if (wide[i] == 0) keys[i] = 0;
    }
  }
  if (descending_) {
    for (int64_t i = 0; i < count; ++i) keys[i] = ~keys[i];
  }
  return ordered;
}

bool SortKey::Compute(int64_t count, const void* elements, int64_t* keys) const {
  struct alignas(64) Buffer {
    char data[kBlock * 16];
  };
  std::vector<Buffer> buffers(registers_.size());
  std::vector<const void*> values(registers_.size());
  const char* src = static_cast<const char*>(elements);
  bool ordered = true;
  for (int64_t i = 0; i < count; i += kBlock) {
    const int64_t block = std::min(kBlock, count - i);
    values[0] = src + i * registers_[0].bytes;
    for (size_t r = 1; r < registers_.size(); ++r) {
      const Register& reg = registers_[r];
      if (reg.alias >= 0) {
        values[r] = values[reg.alias];
      } else if (!reg.kernel.has_value()) {
        values[r] = reg.constant.data();
      } else {
        const void* in[3] = {};
        for (size_t k = 0; k < reg.operands.size(); ++k) in[k] = values[reg.operands[k]];
        reg.kernel->Run(block, in, buffers[r].data);
        values[r] = buffers[r].data;
      }
    }
    ordered &= ToKeys(block, values.back(), keys + i);
  }
  return ordered;
}

bool SortKey::OrdersValues() const {
  return registers_.size() == 1 && kernels::CanSortValues(type_) &&
         (total_order_ || !primitive_util::IsFloatingPointType(type_));
}

}  // namespace xla::interpreter
