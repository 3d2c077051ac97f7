// SPDX-License-Identifier: Apache-2.0
// Checks of single operations by the parser itself, as in XLA. Everything else is checked by shape
// inference and the verifier.
#include "xla/hlo/text/parser_impl.h"
#include "xla/layout_util.h"
#include "xla/shape_util.h"

namespace xla::text {
namespace {

// Visits the fields of an attribute struct; finds a list that should have one entry and does not.
template <typename S>
struct SingleEntryChecker {
  const S& attributes;
  bool ok = true;

  template <typename T>
  void operator()(const Field& field, T S::*member) {
    if (field.is_single) Check(attributes.*member);
  }
  void Check(const Int64s& list) { ok &= list.size() == 1; }
  void Check(const std::optional<Int64s>& list) { ok &= !list.has_value() || list->size() == 1; }
  template <typename T>
  void Check(const T&) {}
};

bool SingleEntriesAreSingle(const Attributes& attributes) {
  return attributes.visit([](const auto& value) {
    using S = std::decay_t<decltype(value)>;
    SingleEntryChecker<S> checker{value};
    S::Describe(checker);
    return checker.ok;
  });
}

// Of a reduction: a gather passes the parser.
bool NamesGlobalDevicesWithoutChannel(const InstructionDraft& draft) {
  if (draft.opcode == HloOpcode::kAllGather || draft.opcode == HloOpcode::kAllGatherStart)
    return false;
  return draft.attributes.visit([](const auto& value) {
    if constexpr (requires { value.use_global_device_ids&& value.channel_id; }) {
      return value.use_global_device_ids && !value.channel_id.has_value();
    } else {
      return false;
    }
  });
}

}  // namespace

bool HloTextParser::CheckOperandCount(Loc operands_loc, const InstructionDraft& draft) {
  int64_t expected = GetOpInfo(draft.opcode).arity;
  if (draft.opcode == HloOpcode::kTuple && draft.has_shape) {
    expected = draft.shape.IsTuple() ? draft.shape.tuple_shapes_size() : 0;
  }
  const auto given = static_cast<int64_t>(draft.operands.size());
  if (expected == op_traits::kVariadic || expected == given) return true;
  return Error(operands_loc, Cat("expects ", expected, " operands, but has ", given, " operands"));
}

bool HloTextParser::CheckBeforeAttributes(InstructionDraft* draft) {
  switch (draft->opcode) {
    case HloOpcode::kBroadcast:
      draft->dimensions_are_optional = ShapeUtil::IsScalar(draft->operands[0]->shape());
      return true;
    case HloOpcode::kConditional: {
      if (draft->operands.empty() || !ShapeUtil::IsScalar(draft->operands[0]->shape())) {
        return TokenError("The first operand must be a scalar");
      }
      const PrimitiveType type = draft->operands[0]->shape().element_type();
      if (type != PRED && type != S32)
        return TokenError("The first operand must be a scalar of PRED or S32");
      draft->branch_index_is_pred = type == PRED;
      return true;
    }
    default:
      return true;
  }
}

bool HloTextParser::CheckAfterAttributes(const InstructionDraft& draft) {
  const auto count = static_cast<int64_t>(draft.operands.size());
  if (!SingleEntriesAreSingle(draft.attributes)) return TokenError("expects exactly one dimension");
  if (NamesGlobalDevicesWithoutChannel(draft)) {
    return TokenError("Cannot have use_global_device_ids=true without channel_id");
  }
  switch (draft.opcode) {
    case HloOpcode::kReduce:
    case HloOpcode::kReduceWindow:
      if (count % 2 == 0) return true;
      return TokenError(Cat("expects an even number of operands, but has ", count, " operands"));
    case HloOpcode::kScatter:
      if (count % 2 == 1) return true;
      return TokenError(Cat("expects an odd number of operands, but has ", count, " operands"));
    case HloOpcode::kConcatenate:
      if (draft.attributes.get<DimensionListAttributes>().dimensions.size() == 1) return true;
      return TokenError("expects exactly one dimension");
    case HloOpcode::kScan: {
      const int64_t parameters = draft.callees[0]->num_parameters();
      if (count != parameters) {
        return TokenError(
            Cat("expects ", count,
                " operands to match the number of parameters of to_apply, but to_apply has ",
                parameters, " parameters"));
      }
      const int64_t carries = draft.attributes.get<ScanAttributes>().num_carries;
      if (carries >= 0 && count >= carries) return true;
      return TokenError(Cat("expects at least ", carries,
                            " operands to match the number of carries, but has ", count,
                            " operands"));
    }
    case HloOpcode::kDynamicSlice:
    case HloOpcode::kDynamicUpdateSlice: {
      // Start indices: one vector, or one scalar for each dimension.
      const bool is_slice = draft.opcode == HloOpcode::kDynamicSlice;
      const int64_t first_index = is_slice ? 1 : 2;
      if (count < first_index) {
        return TokenError(is_slice ? "Expected at least one operand."
                                   : "Expected at least two operands.");
      }
      const bool has_vector =
          count == first_index + 1 && draft.operands[first_index]->shape().rank() == 1;
      if (has_vector || count == first_index + draft.operands[0]->shape().rank()) return true;
      return TokenError("Wrong number of operands.");
    }
    case HloOpcode::kCollectivePermute:
    case HloOpcode::kCollectivePermuteStart:
      if (has_bad_pairs_) return TokenError("expects 'source_target_pairs=' to be a list of pairs");
      if (draft.attributes.get<CollectivePermuteAttributes>().slice_sizes.empty() || count == 4)
        return true;
      return TokenError(
          "CollectivePermute and CollectivePermuteStart must have exactly four operands for "
          "dynamic-slice and in-place "
          "update.");
    case HloOpcode::kConditional: {
      const int64_t branches =
          draft.branch_index_is_pred ? 2 : static_cast<int64_t>(draft.callee_list.size());
      if (branches > 0 && count == branches + 1) return true;
      return TokenError(Cat("expects an operand for each branch and the branch index, but has ",
                            count, " operands and ", branches, " branches"));
    }
    case HloOpcode::kDynamicReshape:
      return count > 0 || TokenError("DynamicReshape requires at least one operand.");
    case HloOpcode::kInfeed:
      if (draft.shape.IsTuple() && draft.shape.tuple_shapes_size() > 0) return true;
      return TokenError("infeed must have a non-empty tuple shape");
    case HloOpcode::kRecv:
      if (draft.shape.IsTuple() && draft.shape.tuple_shapes_size() > 0) return true;
      return TokenError("recv must have a non-empty tuple shape");
    case HloOpcode::kRecvDone:
    case HloOpcode::kSendDone: {
      const HloInstruction* const started = draft.operands[0];
      const bool is_channel =
          started->opcode() == HloOpcode::kRecv || started->opcode() == HloOpcode::kSend;
      if (is_channel && started->attributes<SendRecvAttributes>().channel_id !=
                            draft.attributes.get<SendRecvAttributes>().channel_id) {
        return TokenError(Cat("the channel_id of ", HloOpcodeString(draft.opcode),
                              " is not that of its operand ", started->name()));
      }
      return true;
    }
    case HloOpcode::kCustomCall:
      return CheckCustomCall(draft);
    default:
      return true;
  }
}

bool HloTextParser::CheckCustomCall(const InstructionDraft& draft) {
  const auto& attributes = draft.attributes.get<CustomCallAttributes>();
  if (draft.callees[0] != nullptr && !draft.callee_list.empty()) {
    return TokenError("A single instruction can't have both to_apply and calls field");
  }
  if (attributes.api_version == CustomCallApiVersion::API_VERSION_UNSPECIFIED) {
    return TokenError("Invalid API version: API_VERSION_UNSPECIFIED");
  }
  if (!attributes.operand_layout_constraints) return true;
  const std::vector<Shape>& constraints = *attributes.operand_layout_constraints;
  if (!LayoutUtil::HasLayout(draft.shape)) {
    return TokenError("Layout must be set on layout-constrained custom call");
  }
  if (draft.operands.size() != constraints.size()) {
    return TokenError(Cat("Expected ", draft.operands.size(), " operand layout constraints, ",
                          constraints.size(), " given"));
  }
  for (size_t i = 0; i < constraints.size(); ++i) {
    const auto describe = [&] {
      return Cat("Operand layout constraint shape ", constraints[i].ToString(true), " for operand ",
                 i);
    };
    if (!LayoutUtil::HasLayout(constraints[i]))
      return TokenError(Cat(describe(), " does not have a layout"));
    const Shape& operand = draft.operands[i]->shape();
    if (!ShapeUtil::Compatible(constraints[i], operand)) {
      return TokenError(
          Cat(describe(), " is not compatible with operand shape ", operand.ToString(true)));
    }
  }
  return true;
}

// What text may leave out: a map is over all dimensions, and a scan not associative. As XLA, takes
// nothing else for a map.
void HloTextParser::SetImpliedAttributes(InstructionDraft* draft) {
  switch (draft->opcode) {
    case HloOpcode::kMap: {
      Int64s& dimensions = draft->attributes.get<MapAttributes>().dimensions;
      const Shape& shape = draft->operands.empty() ? draft->shape : draft->operands[0]->shape();
      dimensions.resize(static_cast<size_t>(shape.IsArray() ? shape.rank() : 0));
      for (size_t i = 0; i < dimensions.size(); ++i) dimensions[i] = static_cast<int64_t>(i);
      break;
    }
    case HloOpcode::kScan: {
      std::optional<bool>& is_associative = draft->attributes.get<ScanAttributes>().is_associative;
      if (!is_associative.has_value()) is_associative = false;
      break;
    }
    default:
      break;
  }
}

// Operations whose result shape follows from their operands: overrides the shape in the text.
void HloTextParser::SetImpliedShape(InstructionDraft* draft) {
  const Shape token = ShapeUtil::MakeTokenShape();
  switch (draft->opcode) {
    case HloOpcode::kAfterAll:
    case HloOpcode::kOutfeed:
    case HloOpcode::kSendDone:
      draft->shape = token;
      break;
    case HloOpcode::kAddDependency:
      draft->shape = draft->operands[0]->shape();
      break;
    case HloOpcode::kInfeed:
      draft->shape =
          ShapeUtil::MakeTupleShape(std::vector<Shape>{draft->shape.tuple_shapes(0), token});
      break;
    case HloOpcode::kSend:
      draft->shape = ShapeUtil::MakeTupleShape(
          std::vector<Shape>{draft->operands[0]->shape(), ShapeUtil::MakeShape(U32, {}), token});
      break;
    case HloOpcode::kRecv:
      draft->shape = ShapeUtil::MakeTupleShape(
          std::vector<Shape>{draft->shape.tuple_shapes(0), ShapeUtil::MakeShape(U32, {}), token});
      break;
    case HloOpcode::kRecvDone: {
      const Shape& started = draft->operands[0]->shape();
      if (started.IsTuple() && started.tuple_shapes_size() > 0) {
        draft->shape =
            ShapeUtil::MakeTupleShape(std::vector<Shape>{started.tuple_shapes(0), token});
      }
      break;
    }
    default:
      break;
  }
}

}  // namespace xla::text
