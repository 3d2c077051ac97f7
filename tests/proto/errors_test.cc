// SPDX-License-Identifier: Apache-2.0
// Protos that are older, odd or broken: what is accepted, and the errors for what is not.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/test_util.h"
#include "xla/hlo/proto/hlo_proto.h"
#include "xla/hlo/text/parser.h"

namespace xla {
namespace {

HloModuleProto FromText(const std::string& text) {
  auto module = ParseAndReturnUnverifiedModule(text);
  EXPECT_OK(module);
  auto proto = ModuleToProto(**module);
  EXPECT_OK(proto);
  return *proto;
}

// f negates; the entry e calls f on its parameter p.
HloModuleProto Base() {
  return FromText(R"(HloModule m
f { x = f32[2] parameter(0)
  ROOT n = f32[2] negate(x) }
ENTRY e { p = f32[2] parameter(0)
  ROOT c = f32[2] call(p), to_apply=f })");
}

using Change = std::function<void(HloModuleProto*)>;
absl::StatusOr<std::unique_ptr<HloModule>> Load(const Change& change) {
  HloModuleProto proto = Base();
  change(&proto);
  return CreateModuleFromProto(proto);
}
HloInstructionProto* Negate(HloModuleProto* m) {
  return m->mutable_computations(0)->mutable_instructions(1);
}
HloInstructionProto* Call(HloModuleProto* m) {
  return m->mutable_computations(1)->mutable_instructions(1);
}

// Gives each instruction of each computation a new id.
void Renumber(HloModuleProto* m, const std::function<int64_t(int64_t)>& new_id) {
  for (HloComputationProto& computation : *m->mutable_computations()) {
    for (HloInstructionProto& instruction : *computation.mutable_instructions()) {
      instruction.set_id(new_id(instruction.id()));
      for (int64_t& id : *instruction.mutable_operand_ids()) id = new_id(id);
    }
    computation.set_root_id(new_id(computation.root_id()));
  }
}

TEST(Ids, MayBeAnyNumbersInAnyOrder) {
  const auto base = Load([](HloModuleProto*) {});
  ASSERT_OK(base);
  for (const auto& new_id : std::vector<std::function<int64_t(int64_t)>>{
           [](int64_t id) { return id & 0xffffffff; },
           [](int64_t id) { return -1000 * id - 7; },
           [](int64_t id) { return std::numeric_limits<int64_t>::min() + id; },
           [](int64_t id) { return (id & 0xffffffff) << 32; },
       }) {
    auto module = Load([&](HloModuleProto* m) { Renumber(m, new_id); });
    ASSERT_OK(module);
    EXPECT_OK((*module)->CheckEqual(**base));
  }
}

TEST(Ids, TheLow32BitsDecideWhereTheWholeIsUnknown) {
  auto module = Load([](HloModuleProto* m) {
    Call(m)->set_operand_ids(0, Call(m)->operand_ids(0) & 0xffffffff);
    m->mutable_computations(1)->set_root_id(m->computations(1).root_id() & 0xffffffff);
    Call(m)->set_called_computation_ids(0, Call(m)->called_computation_ids(0) | int64_t{5} << 32);
  });
  ASSERT_OK(module);
  EXPECT_OK((*module)->CheckEqual(**Load([](HloModuleProto*) {})));
}

TEST(Ids, InstructionsAndComputationsMayStandInAnyOrder) {
  auto module = Load([](HloModuleProto* m) {
    for (auto& computation : *m->mutable_computations()) {
      computation.mutable_instructions()->SwapElements(0, 1);
    }
    m->mutable_computations()->SwapElements(0, 1);
  });
  ASSERT_OK(module);
  EXPECT_OK((*module)->CheckEqual(**Load([](HloModuleProto*) {})));
}

TEST(Ids, ErrorsNameComputationAndInstruction) {
  EXPECT_ERROR(Load([](HloModuleProto* m) { Negate(m)->set_operand_ids(0, 99); }),
               "computation \"f\": instruction \"n\": no instruction has the operand id 99");
  EXPECT_ERROR(Load([](HloModuleProto* m) { Negate(m)->add_control_predecessor_ids(98); }),
               "instruction \"n\": no instruction has the control predecessor id 98");
  EXPECT_ERROR(Load([](HloModuleProto* m) { Call(m)->set_called_computation_ids(0, 97); }),
               "computation \"e\": instruction \"c\": no computation has the called computation "
               "id 97");
  EXPECT_ERROR(Load([](HloModuleProto* m) { Negate(m)->set_id(0); }),
               "computation \"f\": instruction \"n\": duplicate id 0");
  EXPECT_ERROR(Load([](HloModuleProto* m) { m->mutable_computations(1)->set_id(0); }),
               "computation \"e\": duplicate id 0");
  EXPECT_ERROR(Load([](HloModuleProto* m) { m->mutable_computations(0)->set_root_id(96); }),
               "computation \"f\": no instruction has the root_id 96");
  EXPECT_ERROR(Load([](HloModuleProto* m) { m->set_entry_computation_id(95); }),
               "module \"m\": no computation has the entry_computation_id 95");
}

TEST(Ids, CyclesAreErrors) {
  EXPECT_ERROR(Load([](HloModuleProto* m) { Negate(m)->set_operand_ids(0, Negate(m)->id()); }),
               "computation \"f\": computation f: instructions depend on themselves: n -> n");
  EXPECT_ERROR(Load([](HloModuleProto* m) {
                 Call(m)->set_called_computation_ids(0, m->entry_computation_id());
               }),
               "computations call themselves: e -> e");
  EXPECT_ERROR(
      Load([](HloModuleProto* m) { Negate(m)->add_control_predecessor_ids(Negate(m)->id()); }),
      "cannot run before itself");
}

TEST(Instructions, NeedNameOpcodeShapeOperandsAndCallees) {
  EXPECT_ERROR(Load([](HloModuleProto* m) { Negate(m)->clear_name(); }), "negate has no name");
  EXPECT_ERROR(Load([](HloModuleProto* m) { Negate(m)->set_opcode("nope"); }),
               "instruction \"n\": Unknown opcode: nope");
  EXPECT_ERROR(Load([](HloModuleProto* m) { Negate(m)->clear_shape(); }), "negate has no shape");
  EXPECT_ERROR(Load([](HloModuleProto* m) {
                 Negate(m)->mutable_shape()->set_element_type(static_cast<PrimitiveType>(99));
               }),
               "instruction \"n\"");
  EXPECT_ERROR(Load([](HloModuleProto* m) {
                 Negate(m)->mutable_shape()->mutable_layout()->add_minor_to_major(7);
               }),
               "instruction \"n\"");
  EXPECT_ERROR(Load([](HloModuleProto* m) { Negate(m)->add_operand_ids(0); }),
               "negate has 2 operands, expected 1");
  EXPECT_ERROR(Load([](HloModuleProto* m) { Call(m)->clear_called_computation_ids(); }),
               "call calls 0 computations, expected 1");
  EXPECT_ERROR(Load([](HloModuleProto* m) { Negate(m)->add_called_computation_ids(0); }),
               "negate calls 1 computations, expected 0");
}

TEST(Instructions, ShapesWithoutLayoutOrDynamicFlagsAreFine) {
  EXPECT_OK(Load([](HloModuleProto* m) {
    for (auto& computation : *m->mutable_computations()) {
      computation.clear_program_shape();
      for (auto& instruction : *computation.mutable_instructions()) {
        instruction.mutable_shape()->clear_layout();
        instruction.mutable_shape()->clear_is_dynamic_dimension();
        instruction.clear_metadata();
        instruction.clear_frontend_attributes();
      }
    }
  }));
}

TEST(Instructions, OddNamesAreMadeLegalAndUnique) {
  auto module = Load([](HloModuleProto* m) {
    Negate(m)->set_name("%we ird");
    Call(m)->set_name("%we ird");
  });
  ASSERT_OK(module);
  EXPECT_EQ((*module)->entry_computation()->root_instruction()->name(), "_we_ird.1");
}

TEST(Parameters, AreNumberedFromZeroWithoutGaps) {
  for (int64_t number : {int64_t{1}, int64_t{-1}, std::numeric_limits<int64_t>::max()}) {
    EXPECT_ERROR(
        Load([&](HloModuleProto* m) {
          m->mutable_computations(0)->mutable_instructions(0)->set_parameter_number(number);
        }),
        "computation \"f\"");
  }
}

TEST(Attributes, EnumerationValuesMustExist) {
  HloModuleProto proto = FromText(R"(HloModule m
ENTRY e { p = f32[8] parameter(0)
  ROOT r = c64[5] fft(p), fft_type=RFFT, fft_length={8} })");
  proto.mutable_computations(0)->mutable_instructions(1)->set_fft_type(static_cast<FftType>(77));
  EXPECT_ERROR(CreateModuleFromProto(proto), "instruction \"r\": 77 is not a valid FftType");
}

TEST(Attributes, PrecisionsAreFilledUp) {
  HloModuleProto proto = FromText(R"(HloModule m
ENTRY e { a = f32[2,2] parameter(0)
  ROOT r = f32[2,2] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={0} })");
  PrecisionConfig* config =
      proto.mutable_computations(0)->mutable_instructions(1)->mutable_precision_config();
  config->clear_operand_precision();
  config->add_operand_precision(PrecisionConfig::HIGH);
  const auto module = CreateModuleFromProto(proto);
  ASSERT_OK(module);
  const auto& dot = (*module)->entry_computation()->root_instruction()->attributes<DotAttributes>();
  EXPECT_EQ(dot.precision.values, (std::vector{PrecisionConfig::HIGH, PrecisionConfig::DEFAULT}));
}

TEST(Attributes, AConstantNeedsALiteralOfItsShape) {
  const HloModuleProto base = FromText("HloModule m\nENTRY e { ROOT r = f32[2] constant({1, 2}) }");
  auto load = [&](const std::function<void(HloInstructionProto*)>& change) {
    HloModuleProto proto = base;
    change(proto.mutable_computations(0)->mutable_instructions(0));
    return CreateModuleFromProto(proto);
  };
  EXPECT_ERROR(load([](auto* i) { i->clear_literal(); }), "a constant has no literal");
  EXPECT_ERROR(load([](auto* i) { i->mutable_shape()->set_dimensions(0, 3); }),
               "the literal has shape f32[2]{0}, the instruction f32[3]{0}");
  EXPECT_ERROR(load([](auto* i) { i->mutable_literal()->add_f32s(3); }), "instruction \"r\"");
  EXPECT_ERROR(
      load([](auto* i) {
        for (ShapeProto* shape : {i->mutable_shape(), i->mutable_literal()->mutable_shape()}) {
          shape->set_dimensions(0, int64_t{1} << 62);
        }
      }),
      "instruction \"r\"");
}

HloModuleProto AllReduce() {
  return FromText(R"(HloModule m
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b) }
ENTRY e { p = f32[8] parameter(0)
  ROOT r = f32[8] all-reduce(p), replica_groups={{0,1},{2,3}}, to_apply=add })");
}

std::string GroupsOf(const absl::StatusOr<std::unique_ptr<HloModule>>& module) {
  if (!module.ok()) return module.status().ToString();
  const auto& attributes =
      (*module)->entry_computation()->root_instruction()->attributes<AllReduceAttributes>();
  return absl::StrCat(attributes.replica_groups.ToString(), " channel ",
                      attributes.channel_id.value_or(-1));
}

TEST(Collectives, FormerFieldsAreRead) {
  HloModuleProto proto = AllReduce();
  HloInstructionProto* r = proto.mutable_computations(1)->mutable_instructions(1);
  EXPECT_EQ(r->replica_groups_size(), 0) << "written in the present field";
  EXPECT_EQ(GroupsOf(CreateModuleFromProto(proto)), "{{0,1},{2,3}} channel -1");

  r->set_all_reduce_id(5);
  r->add_replica_groups()->add_replica_ids(7);
  EXPECT_EQ(GroupsOf(CreateModuleFromProto(proto)), "{{7}} channel 5");

  r->clear_replica_groups();
  r->clear_collective_device_list();
  r->set_channel_id(0);
  r->set_all_reduce_id(0);
  EXPECT_EQ(GroupsOf(CreateModuleFromProto(proto)), "{} channel -1");

  auto* iota = r->mutable_collective_device_list()->mutable_iota_replica_group_list();
  iota->set_num_replica_groups(2);
  iota->set_num_devices_per_group(2);
  for (int i : {1, 0}) {
    iota->add_iota_reshape_dims(2);
    iota->add_iota_transpose_perm(i);
  }
  EXPECT_EQ(GroupsOf(CreateModuleFromProto(proto)), "[2,2]<=[2,2]T(1,0) channel -1");
}

TEST(Collectives, AbsurdGroupsAreErrors) {
  HloModuleProto proto = AllReduce();
  HloInstructionProto* r = proto.mutable_computations(1)->mutable_instructions(1);
  auto* iota = r->mutable_iota_collective_device_list();
  iota->add_iota_reshape_dims(int64_t{1} << 60);
  iota->add_iota_reshape_dims(int64_t{1} << 60);
  EXPECT_ERROR(CreateModuleFromProto(proto), "more than 16777216 devices");
  iota->set_iota_reshape_dims(0, 2);
  iota->set_iota_reshape_dims(1, 2);
  iota->add_iota_transpose_perm(1);
  iota->add_iota_transpose_perm(1);
  EXPECT_ERROR(CreateModuleFromProto(proto), "T(..) is not a permutation");
}

TEST(Header, IsChecked) {
  EXPECT_ERROR(Load([](HloModuleProto* m) { m->clear_host_program_shape(); }),
               "no host_program_shape");
  auto alias = [](int64_t number, std::vector<int64_t> output) {
    return [=](HloModuleProto* m) {
      auto* entry = m->mutable_input_output_alias()->add_entries();
      entry->set_parameter_number(number);
      entry->set_kind(xla::Kind::MAY_ALIAS);
      entry->mutable_output_shape_index()->Add(output.begin(), output.end());
    };
  };
  EXPECT_OK(Load(alias(0, {})));
  EXPECT_ERROR(Load(alias(1, {})), "input_output_alias: the entry computation has no parameter 1");
  EXPECT_ERROR(Load(alias(0, {0})), "input_output_alias: output index {0} is not in shape f32[2]");
  EXPECT_ERROR(Load([&](HloModuleProto* m) {
                 alias(0, {})(m);
                 alias(0, {})(m);
               }),
               "output index {} is aliased twice");
  EXPECT_ERROR(Load([](HloModuleProto* m) {
                 m->mutable_buffer_donor()->add_entries()->set_parameter_number(-1);
               }),
               "buffer_donor: the entry computation has no parameter -1");
}

TEST(StackFrames, MustNotRunInCircles) {
  auto frames = [](std::vector<int> parents) {
    return Load([&](HloModuleProto* m) {
      for (int parent : parents) {
        m->mutable_stack_frame_index()->add_stack_frames()->set_parent_frame_id(parent);
      }
    });
  };
  EXPECT_OK(frames({0, 1, 2, 1}));
  EXPECT_OK(frames({2, 0}));
  EXPECT_ERROR(frames({0, 3, 2}), "is its own ancestor");
  EXPECT_ERROR(frames({1}), "frame 1 is its own ancestor");
  EXPECT_ERROR(frames({5}), "parent frame 5 of 1");
}

TEST(Schedule, IsTheOrderOfInstructions) {
  const HloModuleProto base = FromText(R"(HloModule m, is_scheduled=true
ENTRY e { p = f32[] parameter(0)
  b = f32[] sine(p)
  a = f32[] cosine(p)
  ROOT r = f32[] add(a, b) })");
  auto load = [&](std::vector<int64_t> order) {
    HloModuleProto proto = base;
    auto& sequence = (*proto.mutable_schedule()->mutable_sequences())[0];
    sequence.clear_instruction_ids();
    sequence.mutable_instruction_ids()->Add(order.begin(), order.end());
    return CreateModuleFromProto(proto);
  };
  auto module = load({0, 2, 1, 3});
  ASSERT_OK(module);
  EXPECT_TRUE((*module)->config().is_scheduled);
  EXPECT_EQ((*module)->entry_computation()->instructions()[1]->name(), "a");
  EXPECT_ERROR(load({0, 1, 2}), "schedule of computation \"e\": order of e: 3 of its 4");
  EXPECT_ERROR(load({0, 1, 2, 9}), "no instruction has the id 9");
  EXPECT_ERROR(load({0, 1, 3, 2}), "instruction \"r\" comes before \"a\", on which it depends");
}

TEST(Schedule, HoldsControlPredecessorsFirst) {
  const HloModuleProto base = FromText(R"(HloModule m, is_scheduled=true
ENTRY e { p = f32[] parameter(0)
  b = f32[] sine(p)
  a = f32[] cosine(p), control-predecessors={b}
  ROOT r = f32[] add(a, b) })");
  EXPECT_OK(CreateModuleFromProto(base));
  HloModuleProto swapped = base;
  (*swapped.mutable_schedule()->mutable_sequences())[0].mutable_instruction_ids()->SwapElements(1,
                                                                                                2);
  EXPECT_ERROR(CreateModuleFromProto(swapped), "instruction \"a\" comes before \"b\"");
}

TEST(Bytes, OfAllThreeKindsAreRead) {
  const HloModuleProto proto = Base();
  HloProto hlo;
  *hlo.mutable_hlo_module() = proto;
  hlo.mutable_buffer_assignment()->add_logical_buffers()->set_id(1);
  HloSnapshot snapshot;
  *snapshot.mutable_hlo() = hlo;
  snapshot.set_execution_platform("cpu");
  const auto module = CreateModuleFromProto(proto);
  for (const std::string& bytes :
       {proto.SerializeAsString(), hlo.SerializeAsString(), snapshot.SerializeAsString()}) {
    auto read = ParseModuleFromProtoBytes(bytes);
    ASSERT_OK(read);
    EXPECT_OK((*read)->CheckEqual(**module));
  }
}

TEST(Bytes, OfNoKindAreAnError) {
  const std::string bytes = Base().SerializeAsString();
  for (const std::string& bad :
       {std::string(), std::string("HloModule m"), std::string(100, '\xff'),
        bytes.substr(0, bytes.size() / 2), HloProto().SerializeAsString()}) {
    EXPECT_ERROR(ParseModuleFromProtoBytes(bad), "not a HloModuleProto, HloProto or HloSnapshot");
  }
}

TEST(Writer, NeedsAnEntryAndRoots) {
  HloModule module("m");
  EXPECT_ERROR(ModuleToProto(module), "module m has no entry computation");
  module.set_entry_computation(module.AddComputation("e"));
  EXPECT_ERROR(ModuleToProto(module), "computation e: the computation has no root");
}

// What no verifier has seen is written all the same: fields of 32 bits hold negative numbers.
TEST(Writer, WritesWhateverFitsTheField) {
  const auto text_of = [](const std::string& bits) {
    return "HloModule m\nENTRY e { x = f32[2] parameter(0) ROOT r = f32[2] reduce-precision(x), "
           "exponent_bits=5, mantissa_bits=" +
           bits + " }";
  };
  for (const int64_t bits :
       {-2, 0, 7, std::numeric_limits<int32_t>::max(), std::numeric_limits<int32_t>::min()}) {
    const HloModuleProto proto = FromText(text_of(absl::StrCat(bits)));
    EXPECT_EQ(proto.computations(0).instructions(1).mantissa_bits(), bits);
    ASSERT_OK_AND_ASSIGN(const auto module, CreateModuleFromProto(proto));
    ASSERT_OK_AND_ASSIGN(const HloModuleProto again, ModuleToProto(*module));
    EXPECT_EQ(again.computations(0).instructions(1).mantissa_bits(), bits);
  }
  for (const std::string bits : {"2147483648", "-2147483649"}) {
    ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(text_of(bits)));
    EXPECT_ERROR(ModuleToProto(*module), "cannot write mantissa_bits " + bits);
  }
}

}  // namespace
}  // namespace xla
