// SPDX-License-Identifier: Apache-2.0
// The operation table as an array, and the way from an opcode's text name to its row.
#include "xla/hlo/ir/hlo_opcode.h"

#include <array>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "xla/base/check.h"
#include "xla/hlo/ir/attributes.h"

namespace xla {
namespace {

constexpr std::array<OpInfo, kNumHloOpcodes> MakeRows() {
  using namespace op_traits;  // NOLINT: the rows name traits without prefix
  return {{
#define HLO_OP(stem, name, family, arity, attributes, callees, cost, traits) \
  OpInfo{HloOpcode::k##stem,                                                 \
         name,                                                               \
         OpFamily::family,                                                   \
         arity,                                                              \
         Callees::callees,                                                   \
         traits,                                                             \
         kAttributesIndex<attributes>,                                       \
         CostClass::cost},
#include "xla/hlo/ir/opcodes.def"
  }};
}

constexpr std::array<OpInfo, kNumHloOpcodes> MakeTable() {
  std::array<OpInfo, kNumHloOpcodes> table = MakeRows();
  const auto set = [&](HloOpcode opcode, AsyncRole role, HloOpcode partner) {
    table[static_cast<size_t>(opcode)].async_role = role;
    table[static_cast<size_t>(opcode)].async_partner = partner;
  };
#define HLO_START_DONE(start, done)                                \
  set(HloOpcode::k##start, AsyncRole::kStart, HloOpcode::k##done); \
  set(HloOpcode::k##done, AsyncRole::kDone, HloOpcode::k##start);
#define HLO_UPDATE(update, start) \
  set(HloOpcode::k##update, AsyncRole::kUpdate, HloOpcode::k##start);
#include "xla/hlo/ir/opcodes.def"
  return table;
}

constexpr std::array<OpInfo, kNumHloOpcodes> kTable = MakeTable();

// FNV-1a with a seed, reduced to a slot. The table below is built for a seed without collisions.
constexpr size_t kSlots = 2048;
constexpr size_t Slot(std::string_view name, uint32_t seed) {
  uint32_t h = 2166136261u ^ seed;
  for (char c : name) {
    h ^= static_cast<unsigned char>(c);
    h *= 16777619u;
  }
  h ^= h >> 15;
  return h % kSlots;
}

constexpr uint8_t kEmpty = 0xff;
static_assert(kNumHloOpcodes < kEmpty);

// A perfect hash of the names: one probe, one comparison.
struct NameTable {
  uint32_t seed = 0;
  std::array<uint8_t, kSlots> slots{};

  NameTable() {
    while (!Fill()) ++seed;
  }
  bool Fill() {
    slots.fill(kEmpty);
    for (int i = 0; i < kNumHloOpcodes; ++i) {
      uint8_t& slot = slots[Slot(kTable[i].name, seed)];
      if (slot != kEmpty) return false;
      slot = static_cast<uint8_t>(i);
    }
    return true;
  }
};

const NameTable& Names() {
  static const NameTable table;
  return table;
}

}  // namespace

const OpInfo& GetOpInfo(HloOpcode opcode) {
  XLA_DCHECK(static_cast<int>(opcode) < kNumHloOpcodes);
  return kTable[static_cast<size_t>(opcode)];
}

std::string_view CostClassName(CostClass cost) {
  switch (cost) {
    case CostClass::kFree:
      return "free";
    case CostClass::kView:
      return "view";
    case CostClass::kMove:
      return "move";
    case CostClass::kSelect:
      return "select";
    case CostClass::kArithmetic:
      return "arithmetic";
    case CostClass::kDivide:
      return "divide";
    case CostClass::kRoot:
      return "root";
    case CostClass::kTranscendental:
      return "transcendental";
    case CostClass::kPower:
      return "power";
    case CostClass::kApply:
      return "apply";
    case CostClass::kContraction:
      return "contraction";
    case CostClass::kAlgorithm:
      return "algorithm";
    case CostClass::kControl:
      return "control";
    case CostClass::kCommunication:
      return "communication";
  }
  return "";
}

bool IsFree(HloOpcode opcode) {
  const CostClass cost = GetOpInfo(opcode).cost;
  return cost == CostClass::kFree || cost == CostClass::kView;
}

bool IsView(HloOpcode opcode) { return GetOpInfo(opcode).cost == CostClass::kView; }

bool IsTranscendental(HloOpcode opcode) {
  const CostClass cost = GetOpInfo(opcode).cost;
  return cost == CostClass::kRoot || cost == CostClass::kTranscendental ||
         cost == CostClass::kPower;
}

int HloOpcodeCount() { return kNumHloOpcodes; }

const std::string& HloOpcodeString(HloOpcode opcode) {
  static const auto* const names = [] {
    auto* all = new std::vector<std::string>;
    for (int i = 0; i < HloOpcodeCount(); ++i) {
      all->emplace_back(GetOpInfo(static_cast<HloOpcode>(i)).name);
    }
    return all;
  }();
  return (*names)[static_cast<size_t>(opcode)];
}

std::ostream& operator<<(std::ostream& out, HloOpcode opcode) {
  return out << HloOpcodeString(opcode);
}

std::optional<HloOpcode> FindHloOpcode(std::string_view name) {
  const NameTable& names = Names();
  const uint8_t row = names.slots[Slot(name, names.seed)];
  if (row == kEmpty || kTable[row].name != name) return std::nullopt;
  return static_cast<HloOpcode>(row);
}

absl::StatusOr<HloOpcode> StringToHloOpcode(absl::string_view name) {
  if (std::optional<HloOpcode> opcode = FindHloOpcode({name.data(), name.size()})) return *opcode;
  constexpr size_t kMaxQuoted = 100;
  return absl::InvalidArgumentError(
      absl::StrCat("Unknown opcode: ", std::string(name.substr(0, kMaxQuoted)),
                   name.size() > kMaxQuoted ? "..." : ""));
}

std::optional<int> HloOpcodeArity(HloOpcode opcode) {
  const int8_t arity = GetOpInfo(opcode).arity;
  if (arity == op_traits::kVariadic) return std::nullopt;
  return arity;
}

bool HloOpcodeIsComparison(HloOpcode opcode) { return opcode == HloOpcode::kCompare; }

bool HloOpcodeIsVariadic(HloOpcode opcode) {
  return GetOpInfo(opcode).arity == op_traits::kVariadic;
}

bool HloOpcodeIsAsync(HloOpcode opcode) {
  const OpInfo& info = GetOpInfo(opcode);
  return info.async_role != AsyncRole::kNone &&
         (opcode == HloOpcode::kAsyncStart || info.async_partner == HloOpcode::kAsyncStart);
}

}  // namespace xla
