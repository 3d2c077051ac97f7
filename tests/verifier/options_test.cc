// SPDX-License-Identifier: Apache-2.0
// Rules of the verifier that its options turn on, and the rules about buffers, schedules of
// transfers and origins.
#include <string>
#include <tuple>

#include "absl/strings/match.h"
#include "tests/verifier/verifier_test_util.h"
#include "xla/hlo/verifier/rules.h"

namespace xla {
namespace {

using testing::Entry;
using testing::ExpectVerified;

const char kCalled[] = "f { ROOT x = f32[2]{0} parameter(0) }, execution_thread=\"other\"";

TEST(VerifierOptions, ThreadsOfCalls) {
  const std::string call =
      Entry("a = f32[2] parameter(0)\n ROOT b = f32[2] call(a), to_apply=f", kCalled);
  ExpectVerified({{call, ""}});
  ExpectVerified({{call, "b to_apply computation execution thread does not match (other vs main)"}},
                 {.verify_call_nested_computation_thread_name = true});
  const std::string fusion =
      Entry("a = f32[2] parameter(0)\n ROOT b = f32[2] fusion(a), kind=kLoop, calls=f", kCalled);
  ExpectVerified({{fusion, "same as called computation's thread name (main vs other)"}});
  const std::string conditional = Entry(
      "p = pred[] constant(true)\n a = f32[2] parameter(0)\n ROOT b = f32[2] conditional(p, a, a), "
      "true_computation=g, false_computation=f",
      std::string(kCalled) + "\ng { ROOT y = f32[2]{0} parameter(0) }");
  ExpectVerified({{conditional, "same as called computation's thread name (main vs other)"}});
  const std::string loop = Entry(
      "a = f32[2] parameter(0)\n ROOT b = f32[2] while(a), condition=c, body=f",
      std::string(kCalled) + "\nc { p = f32[2] parameter(0) ROOT t = pred[] constant(false) }");
  ExpectVerified({{loop, "same as called computation's thread name (main vs other)"}});
  const std::string custom = Entry(
      "a = f32[2] parameter(0)\n ROOT b = f32[2] custom-call(a), custom_call_target=\"t\", "
      "called_computations={f}",
      kCalled);
  ExpectVerified({{custom, ""}});
  ExpectVerified(
      {{custom, "b to_apply computation execution thread does not match (other vs main)"}},
      {.verify_call_nested_computation_thread_name = true});
}

TEST(VerifierOptions, OrderOfBroadcast) {
  const std::string swapped =
      Entry("a = f32[2,3] parameter(0)\n ROOT b = f32[3,2] broadcast(a), dimensions={1,0}");
  const std::string ordered =
      Entry("a = f32[2,3] parameter(0)\n ROOT b = f32[2,3] broadcast(a), dimensions={0,1}");
  ExpectVerified({{swapped, ""}});
  ExpectVerified({{swapped, "Broadcast dimensions should be ordered"}, {ordered, ""}},
                 {.verify_broadcast_dimensions_order = true});
}

TEST(VerifierOptions, ReshapesThatMoveElements) {
  const std::string moves = Entry("a = f32[2,3]{0,1} parameter(0)\n ROOT b = f32[6]{0} reshape(a)");
  ExpectVerified({{moves, ""}});
  ExpectVerified({{moves, "Reshape should be a physical bitcast"},
                  {Entry("a = f32[2,3]{1,0} parameter(0)\n ROOT b = f32[6]{0} reshape(a)"), ""}},
                 {.verify_reshape_is_bitcast = true});
}

TEST(VerifierOptions, UnboundedSizesAndHostMemory) {
  const std::string unbounded = Entry("ROOT a = f32[?,2] parameter(0)");
  ExpectVerified({{unbounded, ""}});
  ExpectVerified({{unbounded, "Unbounded dynamism is disabled"}},
                 {.allow_unbounded_dynamism = false});
  const std::string host = Entry("ROOT a = (f32[2]{0:S(5)}) parameter(0)");
  ExpectVerified({{host, ""}});
  ExpectVerified({{host, "shouldn't have the layout of host memory space"}},
                 {.verify_no_host_memory_space = true});
  // What has no layout is in no memory space.
  absl::StatusOr<std::unique_ptr<HloModule>> module =
      ParseAndReturnUnverifiedModule(Entry("ROOT a = f32[2] parameter(0)"));
  ASSERT_OK(module);
  (*module)->entry_computation()->root_instruction()->mutable_shape()->clear_layout();
  EXPECT_OK(VerifyModule(**module, {.verify_no_host_memory_space = true}));
}

TEST(VerifierOptions, NamesThatMetadataStates) {
  const HloVerifierOptions options = {.verify_instruction_name_unchanged = true};
  const auto named = [](const std::string& name) {
    return Entry("ROOT " + name + " = f32[2] parameter(0), metadata={scheduling_name=\"a\"}");
  };
  ExpectVerified({{named("b"), ""}});
  ExpectVerified({{named("a"), ""},
                  {named("a.clone"), ""},
                  {named("b"), "Expected instruction name to remain the same. Was 'a' is 'b'."}},
                 options);
}

TEST(VerifierOptions, LayoutsThatOperationsKeep) {
  const HloVerifierOptions options = {
      .layout_sensitive = true,
      .instruction_can_change_layout = [](const HloInstruction* instruction) {
        return instruction->opcode() != HloOpcode::kNegate &&
               instruction->opcode() != HloOpcode::kDynamicSlice;
      }};
  const std::string start = "a = f32[2,3]{1,0} parameter(0)\n";
  ExpectVerified(
      {{Entry(start + "ROOT b = f32[2,3]{0,1} negate(a)"), "Instruction shouldn't change layouts"},
       {Entry(start + "ROOT b = f32[2,3]{1,0} negate(a)"), ""},
       {Entry(start + "ROOT b = f32[2,3]{0,1} copy(a)"), ""},
       {Entry(start + "i = s32[] constant(0)\n ROOT b = f32[2,3]{1,0:S(5)} "
                      "dynamic-slice(a, i, i), dynamic_slice_sizes={2,3}"),
        "DynamicSlice instruction shouldn't change layout memory space from device to "
        "host"}},
      options);
}

TEST(VerifierOptions, FastMemoryIsLeftByNothingThatKeepsLayouts) {
  const HloVerifierOptions options = {
      .layout_sensitive = true,
      .instruction_can_change_layout = [](const HloInstruction*) { return false; }};
  const auto program = [](const std::string& from, const std::string& operation,
                          const std::string& to) {
    const std::string memory = from.empty() ? "" : absl::StrCat(":S(", from, ")");
    return Entry(absl::StrCat("a = f32[2,3]{1,0", memory,
                              "} parameter(0)\n i = s32[] constant(0)\n ", "ROOT b = f32[2,3]{1,0",
                              to.empty() ? "" : absl::StrCat(":S(", to, ")"), "} ", operation));
  };
  const std::string fast = absl::StrCat(Layout::kGenericFastMemorySpace);
  const char* error = "between generic fast memory space and others";
  for (const char* operation : {"copy(a)", "dynamic-slice(a, i, i), dynamic_slice_sizes={2,3}"}) {
    ExpectVerified({{program(fast, operation, ""), error},
                    {program(fast, operation, fast), ""},
                    {program("", operation, ""), ""}},
                   options);
  }
  ExpectVerified({{program(fast, "negate(a)", ""), ""}}, options);
}

TEST(VerifierOptions, CopiesBetweenHostAndDevice) {
  const HloVerifierOptions options = {.layout_sensitive = true};
  const std::string start = "a = f32[2,3]{1,0:S(5)} parameter(0)\n";
  ExpectVerified(
      {{Entry(start + "ROOT b = f32[2,3]{1,0} copy(a)"), ""},
       {Entry(start + "ROOT b = bf16[2,3]{1,0} copy(a)"),
        "equal to f32[2,3]{1,0:S(5)}, actual shape is bf16[2,3]{1,0}"},
       {Entry(start + "ROOT b = f32[2,3]{0,1} copy(a)"), "actual shape is f32[2,3]{0,1}"},
       {Entry(start + "ROOT b = f32[2,3]{1,0} bitcast(a)"), "different memory spaces"}},
      options);
}

TEST(VerifierOptions, LayoutsOfCallsAndTheirParameters) {
  const std::string call =
      Entry("a = f32[2,3]{0,1} parameter(0)\n ROOT b = f32[2,3]{1,0} call(a), to_apply=f",
            "f { ROOT x = f32[2,3]{1,0} parameter(0) }");
  ExpectVerified({{call, ""}});
  ExpectVerified({{call, "shape does not match parameter's"}}, {.layout_sensitive = true});
}

TEST(VerifierOptions, ScansBeforeLayouts) {
  const std::string scan = Entry(
      "a = f32[4] parameter(0)\n z = f32[] constant(0)\n "
      "ROOT s = (f32[4], f32[]) scan(a, z), dimensions={0}, num_carries=1, to_apply=add",
      "add { x = f32[] parameter(0)\n y = f32[] parameter(1)\n s = f32[] add(x, y)\n "
      "ROOT t = (f32[], f32[]) tuple(s, s) }");
  ExpectVerified({{scan, ""}});
  ExpectVerified({{scan, "Non-associative scan reached layout-sensitive HloVerifier"}},
                 {.layout_sensitive = true});
}

TEST(VerifierOptions, ShardingsOnMoreDevices) {
  const std::string sharded =
      Entry("ROOT a = f32[4] parameter(0), sharding={maximal device=9}", "", ", num_partitions=4");
  ExpectVerified({{sharded, "device 9 >= num_devices (4) in tile assignment"}});
  ExpectVerified({{sharded, ""}}, {.verify_sharding_device_numbers = false});
}

TEST(Origins, HaveTheStructureOfTheShape) {
  ExpectVerified(
      {{Entry("ROOT a = (f32[2], f32[3]) parameter(0), origin={({\"x\"}, {\"y\"})}"), ""},
       {Entry("ROOT a = (f32[2], f32[3]) parameter(0), origin={{\"x\"}}"),
        "Mismatched tuple structure in original_value"},
       {Entry("ROOT a = f32[2] parameter(0), origin={({\"x\"}, {\"y\"})}"),
        "Mismatched tuple structure in original_value"}});
}

TEST(Buffers, HaveOneWriter) {
  const std::string pin =
      "a = f32[2] parameter(0)\n b = b(f32[2]) custom-call(a), custom_call_target=\"Pin\", "
      "output_to_operand_aliasing={{}: (0, {})}\n";
  const std::string write =
      "b(f32[2]) custom-call(b), custom_call_target=\"w\", "
      "output_to_operand_aliasing={{}: (0, {})}\n";
  const std::string unpin =
      "f32[2] custom-call(c), custom_call_target=\"Unpin\", "
      "output_to_operand_aliasing={{}: (0, {})}\n";
  ExpectVerified(
      {{Entry(pin + "c = " + write + "ROOT d = " + unpin), ""},
       {Entry(pin + "c = " + write + "e = " + write + "ROOT d = " + unpin),
        "an HLO buffer value has more than one writers"},
       {Entry(pin + "c = b(f32[2]) custom-call(b), custom_call_target=\"w\"\n ROOT d = " + unpin),
        "buffer is used in operands but not in results"},
       {Entry("ROOT a = b(f32[2]) parameter(0)"), "buffers aren't allowed in this context"},
       {Entry("a = f32[2] parameter(0)\n ROOT b = b(f32[2]) custom-call(a), "
              "custom_call_target=\"Pin\""),
        "custom-call to Pin must have one output-to-operand aliasing"},
       {Entry("a = f32[2] parameter(0)\n ROOT b = b(f32[2]) custom-call(a), "
              "custom_call_target=\"make\""),
        "buffer is used in results but not in operands"}});
  const std::string update = pin + "v = f32[1] constant({1})\n i = s32[] constant(0)\n";
  ExpectVerified(
      {{Entry(update + "c = b(f32[2]) dynamic-update-slice(b, v, i)\n ROOT d = " + unpin), ""},
       {Entry(update + "c = b(f32[2]) dynamic-update-slice(b, b, i)\n ROOT d = " + unpin),
        "Expected array argument for update of dynamic update slice"},
       {Entry(update + "ROOT c = f32[2] dynamic-update-slice(b, v, i)"),
        "Expected instruction to have shape equal to b(f32[2])"}});
}

// Through tuples and loops, too: each element has a writer of its own.
TEST(Buffers, HaveOneWriterWhereverTheyGo) {
  const std::string pin =
      "a = f32[2] parameter(0)\n"
      "b = b(f32[2]) custom-call(a), custom_call_target=\"Pin\", "
      "output_to_operand_aliasing={{}: (0, {})}\n"
      "e = b(f32[2]) custom-call(a), custom_call_target=\"Pin\", "
      "output_to_operand_aliasing={{}: (0, {})}\n"
      "t = (b(f32[2]), b(f32[2])) tuple(b, e)\n"
      "g = b(f32[2]) get-tuple-element(t), index=0\n"
      "h = b(f32[2]) get-tuple-element(t), index=1\n"
      "k = b(f32[2]) get-tuple-element(t), index=0\n";
  const auto write = [](const std::string& name, const std::string& of) {
    return name + " = b(f32[2]) custom-call(" + of +
           "), custom_call_target=\"w\", output_to_operand_aliasing={{}: (0, {})}\n";
  };
  const auto unpin = [](const std::string& name, const std::string& of) {
    return name + " = f32[2] custom-call(" + of +
           "), custom_call_target=\"Unpin\", output_to_operand_aliasing={{}: (0, {})}\n";
  };
  const std::string two = "an HLO buffer value has more than one writers";
  ExpectVerified({
      {Entry(pin + write("x", "g") + write("y", "h") + "ROOT " + unpin("r", "x")), ""},
      {Entry(pin + write("x", "g") + write("y", "k") + "ROOT " + unpin("r", "x")), two},
      {Entry(pin + write("x", "g") + write("y", "b") + "ROOT " + unpin("r", "x")), two},
      {Entry(pin + write("x", "h") + write("y", "b") + "ROOT " + unpin("r", "x")), ""},
      {Entry(pin + write("x", "h") + write("y", "e") + "ROOT " + unpin("r", "x")), two},
      {Entry(pin + write("x", "h") + unpin("u", "h") + "ROOT " + unpin("r", "x")), two},
  });
  const auto loop = [&](const std::string& body) {
    return Entry(
        "a = f32[2] parameter(0)\n i = s32[] constant(0)\n"
        "b = b(f32[2]) custom-call(a), custom_call_target=\"Pin\", "
        "output_to_operand_aliasing={{}: (0, {})}\n"
        "t = (s32[], b(f32[2])) tuple(i, b)\n"
        "w = (s32[], b(f32[2])) while(t), condition=c, body=d\n"
        "g = b(f32[2]) get-tuple-element(w), index=1\n ROOT " +
            unpin("r", "g"),
        "c { p = (s32[], b(f32[2])) parameter(0)\n ROOT t = pred[] constant(false) }\n"
        "d { p = (s32[], b(f32[2])) parameter(0)\n n = s32[] get-tuple-element(p), index=0\n"
        "q = b(f32[2]) get-tuple-element(p), index=1\n" +
            body + " }\n");
  };
  ExpectVerified({
      {loop("ROOT t = (s32[], b(f32[2])) tuple(n, q)"), ""},
      {loop(write("x", "q") + "ROOT t = (s32[], b(f32[2])) tuple(n, x)"), ""},
      {loop(write("x", "q") + "ROOT t = (s32[], b(f32[2])) tuple(n, q)"), two},
      {loop(write("x", "q") + write("y", "q") + "ROOT t = (s32[], b(f32[2])) tuple(n, y)"), two},
  });
}

TEST(Buffers, AreMadeByCallsOfTheirOwn) {
  const auto create = [](const std::string& operand, const std::string& result) {
    return Entry("a = f32[2] parameter(0)\n ROOT b = " + result + " custom-call(" + operand +
                 "), custom_call_target=\"CreateBuffer\"");
  };
  const auto pin = [](const std::string& target, const std::string& operand,
                      const std::string& result) {
    return Entry("a = f32[2] parameter(0)\n n = f32[3] constant({1,2,3})\n ROOT b = " + result +
                 " custom-call(" + operand + "), custom_call_target=\"" + target +
                 "\", output_to_operand_aliasing={{}: (0, {})}");
  };
  ExpectVerified({
      {create("", "b(f32[2])"), ""},
      {create("a", "b(f32[2])"), "custom-call to CreateBuffer can't have an operand"},
      {create("", "f32[2]"), "custom-call to CreateBuffer must have one buffer result"},
      {pin("Pin", "a", "b(f32[2])"), ""},
      {pin("Pin", "a", "f32[2]"), "custom-call to Pin must have one buffer result"},
      {pin("Pin", "n", "b(f32[2])"), "Different aliasing shapes: f32[3] vs b(f32[2])"},
      {pin("Pin", "a, a", "b(f32[2])"),
       "custom-call to Pin must have one array non-buffer operand"},
      {pin("Unpin", "a", "f32[2]"), "custom-call to Unpin must have one buffer operand"},
  });
}

std::string Transfers(const std::string& send_pairs, const std::string& receive_pairs,
                      const std::string& between) {
  return "HloModule m, is_scheduled=true\nENTRY e {\n a = f32[] constant(0)\n t = token[] "
         "after-all()\n r = (f32[], u32[], token[]) recv(t), channel_id=1, "
         "frontend_attributes={_xla_send_recv_source_target_pairs=\"" +
         receive_pairs + "\"}\n" + between +
         "s = (f32[], u32[], token[]) send(a, t), channel_id=1, "
         "frontend_attributes={_xla_send_recv_source_target_pairs=\"" +
         send_pairs +
         "\"}\n sd = token[] send-done(s), channel_id=1\n ROOT rd = (f32[], token[]) "
         "recv-done(r), channel_id=1\n}\n";
}

TEST(Deadlocks, TransfersMeetBeforeOtherCollectives) {
  const HloVerifierOptions options = {.verify_no_collective_deadlocks = true};
  const std::string gather =
      "p = f32[2] constant({1,2})\n g = f32[4] all-gather(p), dimensions={0}\n";
  ExpectVerified({{Transfers("{{0,1}}", "{{0,1}}", gather), ""}});
  ExpectVerified({{Transfers("{{0,1}}", "{{0,1}}", ""), ""},
                  {Transfers("{{0,1}}", "{{0,1}}", gather), "will cause a deadlock"},
                  {Transfers("{{0,1}}", "{{1,2}}", ""), "Deadlock detected"},
                  {Transfers("{{0,1},{1,0}}", "{{0,1},{1,0}}", ""), "non-cyclical"},
                  {Transfers("{{0,1},{0,2}}", "{{0,1},{0,2}}", ""), "unique source and target"}},
                 options);
}

TEST(Deadlocks, OtherCollectivesMayFollowTransfersThatMet) {
  const std::string met = Transfers("{{0,1}}", "{{0,1}}", "");
  const size_t end = met.find(" sd = ");
  const std::string gather =
      "p = f32[2] constant({1,2})\n g = f32[4] all-gather(p), dimensions={0}\n";
  ExpectVerified({{met.substr(0, end) + "\n" + gather + met.substr(end), ""}},
                 {.verify_no_collective_deadlocks = true});
}

TEST(Deadlocks, PairsAreListedAndTransfersMeet) {
  const auto program = [](const std::string& first, const std::string& second,
                          const std::string& between = "") {
    const auto transfer = [](const std::string& name, const std::string& kind,
                             const std::string& attributes) {
      return name + " = (f32[], u32[], token[]) " + (kind == "send" ? "send(a, t)" : "recv(t)") +
             ", channel_id=1" + attributes + "\n";
    };
    return "HloModule m, is_scheduled=true\nENTRY e {\n a = f32[] constant(0)\n t = token[] "
           "after-all()\n" +
           transfer("s", "send", first) + between + transfer("r", "recv", second) +
           " sd = token[] send-done(s), channel_id=1\n ROOT rd = (f32[], token[]) recv-done(r), "
           "channel_id=1\n}\n";
  };
  const auto pairs = [](const std::string& text) {
    return ", frontend_attributes={_xla_send_recv_source_target_pairs=\"" + text + "\"}";
  };
  const std::string another = " other = (f32[], u32[], token[]) send(a, t), channel_id=2" +
                              pairs("{{0,2}}") +
                              "\n met = token[] send-done(other), channel_id=2\n";
  const std::string apart = " other = (f32[], u32[], token[]) send(a, t), channel_id=2" +
                            pairs("{{3,4}}") + "\n met = token[] send-done(other), channel_id=2\n";
  const std::string pipelined =
      " other = (f32[], u32[], token[]) send(a, t), channel_id=2, "
      "frontend_attributes={_xla_send_recv_pipeline=\"0\"}\n"
      " met = token[] send-done(other), channel_id=2\n";
  ExpectVerified(
      {{program(pairs("{{0,1}}"), pairs("{{0,1}}")), ""},
       {program(pairs("{{0,1},{1,2}}"), pairs("{{0,1},{1,2}}")), ""},
       {program("", pairs("{{0,1}}")), "token[] t) does not have source-target pairs attribute"},
       {program(pairs("{{0,1}}"), ""),
        "recv(token[] t) does not have source-target pairs attribute"},
       {program(pairs("{{0,1,2}}"), pairs("{{0,1}}")), "Source-target pairs of"},
       {program(pairs("{{0,1},{1,2},{2,0}}"), pairs("{{0,1}}")), "non-cyclical"},
       {program(pairs("{{0,1},{2,1}}"), pairs("{{0,1}}")), "unique source and target"},
       {program(pairs("{{0,1}}"), pairs("{{0,1}}"), another), "Expected recv, but found other"},
       {program(pairs("{{0,1}}"), pairs("{{0,1}}"), apart), "Expected recv to match send"},
       {program(pairs("{{0,1}}"), pairs("{{0,1}}"), pipelined), ""}},
      {.verify_no_collective_deadlocks = true});
}

// Transfers that start together may be in any order, but must meet.
TEST(Deadlocks, TransfersOfAGroupMeet) {
  const auto group = [](const std::string& send_pairs, const std::string& before) {
    return "HloModule m, is_scheduled=true\ngroup {\n a = f32[] parameter(0)\n t = token[] "
           "parameter(1)\n r = (f32[], u32[], token[]) recv(t), channel_id=1, "
           "frontend_attributes={_xla_send_recv_source_target_pairs=\"{{0,1}}\"}\n s = (f32[], "
           "u32[], "
           "token[]) send(a, t), channel_id=1, "
           "frontend_attributes={_xla_send_recv_source_target_pairs=\"" +
           send_pairs +
           "\"}\n ROOT both = ((f32[], u32[], token[]), (f32[], u32[], token[])) tuple(r, s)\n}\n"
           "ENTRY e {\n a = f32[] constant(0)\n t = token[] after-all()\n" +
           before +
           " g = ((f32[], token[]), ((f32[], u32[], token[]), (f32[], u32[], token[])), s32[]) "
           "async-start(a, t), calls=group\n ROOT d = ((f32[], u32[], token[]), (f32[], u32[], "
           "token[])) async-done(g)\n}\n";
  };
  const std::string open =
      " o = (f32[], u32[], token[]) send(a, t), channel_id=2, "
      "frontend_attributes={_xla_send_recv_source_target_pairs=\"{{2,3}}\"}\n od = token[] "
      "send-done(o), channel_id=2\n";
  const HloVerifierOptions options = {.verify_no_collective_deadlocks = true};
  for (const auto& [pairs, before, message] :
       {std::tuple<std::string, std::string, std::string>{"{{0,1}}", "", ""},
        {"{{0,1}}", open, "Expected recv to match send"},
        {"{{4,5}}", open, "Deadlock detected"}}) {
    const auto module = ParseAndReturnUnverifiedModule(group(pairs, before));
    ASSERT_OK(module);
    const absl::Status status = verifier::CheckCollectiveDeadlocks(**module);
    EXPECT_EQ(status.ok(), message.empty()) << status;
    EXPECT_TRUE(absl::StrContains(status.message(), message)) << status;
  }
}

// A transfer that starts alone keeps its place among the others.
TEST(Deadlocks, TransfersThatStartAloneMeet) {
  const auto program = [](const std::string& pairs, bool receives) {
    const std::string attribute = ", frontend_attributes={_xla_send_recv_source_target_pairs=\"";
    return absl::StrCat(
        "HloModule m, is_scheduled=true\none {\n a = f32[] parameter(0)\n t = token[] ",
        "parameter(1)\n ROOT s = (f32[], u32[], token[]) send(a, t), channel_id=1", attribute,
        "{{0,1}}\"}\n}\nENTRY e {\n a = f32[] constant(0)\n t = token[] after-all()\n",
        " g = ((f32[], token[]), (f32[], u32[], token[]), s32[]) async-start(a, t), calls=one\n",
        receives ? absl::StrCat(" r = (f32[], u32[], token[]) recv(t), channel_id=1", attribute,
                                pairs, "\"}\n rd = (f32[], token[]) recv-done(r), channel_id=1\n")
                 : "",
        " ROOT d = (f32[], u32[], token[]) async-done(g)\n}\n");
  };
  for (const auto& [pairs, receives, message] :
       {std::tuple<std::string, bool, std::string>{"{{0,1}}", true, ""},
        {"{{0,2}}", true, "Deadlock detected"},
        {"", false, "Expected recv to match send"}}) {
    const auto module = ParseAndReturnUnverifiedModule(program(pairs, receives));
    ASSERT_OK(module);
    const absl::Status status = verifier::CheckCollectiveDeadlocks(**module);
    EXPECT_EQ(status.ok(), message.empty()) << status;
    EXPECT_TRUE(absl::StrContains(status.message(), message)) << status;
  }
}

}  // namespace
}  // namespace xla
