// SPDX-License-Identifier: Apache-2.0
// Each rule of the parser with a program that breaks only this one.
#include <string>
#include <vector>

#include "tests/test_util.h"
#include "xla/hlo/text/parser.h"

namespace xla {
namespace {

struct Rejection {
  std::string lines;  // of the entry computation; or a whole module
  std::string error;
};

void ExpectRejected(const std::vector<Rejection>& rejections) {
  for (const Rejection& rejection : rejections) {
    const bool is_module = rejection.lines.rfind("HloModule", 0) == 0;
    const std::string text =
        is_module ? rejection.lines : "HloModule m\nENTRY e {\n" + rejection.lines + "\n}\n";
    EXPECT_ERROR(ParseAndReturnUnverifiedModule(text), rejection.error) << text;
  }
}

const char kP[] = "p = f32[4] parameter(0)\n";

TEST(ParserRejections, Enumerations) {
  const std::string p = kP;
  const std::string conv =
      "a = f32[1,8,8,1] parameter(0)\n k = f32[3,3,1,1] parameter(1)\n ROOT c = f32[1,6,6,1] "
      "convolution(a, k), window={size=3x3}, dim_labels=b01f_01io->b01f, ";
  const std::string a = "a = f64[2,2] parameter(0)\n";
  ExpectRejected({
      {conv + "convolution_kind=\"x\"", "expects convolution kind"},
      {conv + "convolution_kind=sideways", "expects convolution kind but sees: sideways"},
      {"c = c64[4] parameter(0)\n ROOT f = c64[4] fft(c), fft_length={4}, fft_type=3",
       "expects fft type"},
      {"c = c64[4] parameter(0)\n ROOT f = c64[4] fft(c), fft_length={4}, fft_type=FFFT",
       "expects fft type but sees: FFFT"},
      {a + "ROOT s = f64[2,2] triangular-solve(a, a), transpose_a=7, lower=true",
       "expects an enumeration value"},
      {a + "ROOT s = f64[2,2] triangular-solve(a, a), transpose_a=MAYBE, lower=true", "MAYBE"},
      {"a = f32[] parameter(0)\n ROOT r = f32[3] rng(a, a), distribution=1",
       "expects random distribution"},
      {"a = f32[] parameter(0)\n ROOT r = f32[3] rng(a, a), distribution=rng_odd",
       "expects random distribution but sees: rng_odd"},
      {"a = u64[2] parameter(0)\n ROOT r = (u64[2], u32[3]) rng-bit-generator(a), algorithm=1",
       "expects random algorithm"},
      {"a = u64[2] parameter(0)\n ROOT r = (u64[2], u32[3]) rng-bit-generator(a), "
       "algorithm=rng_odd",
       "expects random algorithm but sees: rng_odd"},
      {"HloModule m\nf { ROOT q = f32[4] parameter(0) }\nENTRY e { p = f32[4] parameter(0)\n "
       "ROOT r = f32[4] fusion(p), kind=1, calls=f }",
       "expects fusion kind"},
      {"HloModule m\nf { ROOT q = f32[4] parameter(0) }\nENTRY e { p = f32[4] parameter(0)\n "
       "ROOT r = f32[4] fusion(p), kind=kOdd, calls=f }",
       "expects fusion kind but sees: kOdd"},
      {p + "ROOT c = f32[4] custom-call(p), custom_call_target=\"f\", padding_type=1",
       "expects padding type"},
      {p + "ROOT c = f32[4] custom-call(p), custom_call_target=\"f\", schedule=1",
       "expects custom-call schedule"},
      {p + "ROOT c = f32[4] custom-call(p), custom_call_target=\"f\", api_version=4",
       "expects custom-call API version"},
      {p + "ROOT c = f32[4] custom-call(p), custom_call_target=\"f\", "
           "api_version=API_VERSION_UNSPECIFIED",
       "Invalid API version: API_VERSION_UNSPECIFIED"},
      {p + "ROOT c = pred[4] compare(p, p), direction=3", "expects comparison direction"},
      {p + "ROOT c = pred[4] compare(p, p), direction=XX", "expects comparison direction"},
      {p + "ROOT c = pred[4] compare(p, p), direction=LT, type=7", "expects comparison type"},
      {p + "ROOT c = pred[4] compare(p, p), direction=LT, type=ODD", "expects comparison type"},
  });
}

TEST(ParserRejections, Async) {
  ExpectRejected({
      {std::string(kP) + "ROOT s = f32[4] negate-start(p)", "AsyncStart expects the op shape"},
      {std::string(kP) + "ROOT s = (f32[4], f32[4]) negate-start(p)",
       "AsyncStart expects the op shape"},
      {std::string(kP) + "ROOT s = ((f32[4])) negate-start(p)", "AsyncStart expects the op shape"},
      {"ROOT s = ((f32[4]), f32[4]) parameter-start(), index=0", "parameter"},
      {"HloModule m\nw { q = f32[4] parameter(0)\n ROOT n = f32[4] negate(q) }\n"
       "ENTRY e { p = f32[4] parameter(0)\n s = ((f32[4]), f32[4]) async-start(p), calls=w\n"
       "ROOT d = f32[4] sine-done(s) }",
       "Expect async wrapped opcode to be negate, but got sine"},
      {"HloModule m\nw { q = f32[4] parameter(0)\n ROOT n = f32[4] negate(q) }\n"
       "ENTRY e { p = f32[4] parameter(0)\n s = ((f32[4]), f32[4]) async-start(p), calls=w\n"
       "u = ((f32[4]), f32[5]) async-update(s)\n ROOT d = f32[4] async-done(u) }",
       "AsyncUpdate expects the op shape to be the same as the operand shape"},
      {std::string(kP) + "ROOT d = f32[4] async-done(p)",
       "AsyncUpdate and AsyncDone expect a single async op as their operand"},
  });
}

TEST(ParserRejections, Transfers) {
  ExpectRejected({
      {"t = token[] after-all()\n ROOT r = f32[4] recv(t), channel_id=1",
       "recv must have a non-empty tuple shape"},
      {"t = token[] after-all()\n ROOT r = () recv(t), channel_id=1",
       "recv must have a non-empty tuple shape"},
      {"t = token[] after-all()\n ROOT r = f32[4] infeed(t)",
       "infeed must have a non-empty tuple shape"},
      {"t = token[] after-all()\n r = (f32[4], u32[], token[]) recv(t), channel_id=1\n"
       "ROOT d = (f32[4], token[]) recv-done(r), channel_id=2",
       "the channel_id of recv-done is not that of its operand"},
  });
}

TEST(ParserRejections, MetadataAndAccuracy) {
  const std::string n = std::string(kP) + "ROOT n = f32[4] exponential(p), ";
  ExpectRejected({
      {n + "metadata={profile_type={9999}}", "unknown profile type 9999"},
      {n + "metadata={profile_type={-1}}", "unknown profile type -1"},
      {n + "metadata={source_line=3000000000}", "value out of range for int32_t"},
      {n + "metadata={odd=1}", "odd"},
      {n + "result_accuracy={odd=highest}", "invalid attribute name: odd"},
      {n + "result_accuracy={tolerance={odd=1}}", "invalid attribute name: odd"},
      {n + "result_accuracy={tolerance={1}}", "expects string for result_accuracy tolerance type"},
      {n + "result_accuracy={tolerance={ulps=1e19}}", "ulps is out of range for int64_t"},
      {n + "result_accuracy={tolerance={atol=x}}", "expects decimal or integer"},
      {n + "metadata={op_name=x}", "expects string"},
      {n + "metadata={1}", "expects attribute name"},
  });
}

TEST(ParserRejections, Shardings) {
  const auto with = [](const std::string& sharding) {
    return "ROOT p = f32[4,4] parameter(0), sharding=" + sharding;
  };
  std::string axes;
  for (int i = 0; i < 300; ++i) axes += (i == 0 ? "'a" : ",'a") + std::to_string(i) + "'=1";
  ExpectRejected({
      {with("{maximal_mesh[id=1]}"), "expected device_id= attribute in maximal_mesh"},
      {with("{maximal_mesh[1]}"), "expected device_id= attribute in maximal_mesh"},
      {with("{mesh[" + axes + "], [{},{}]}"), "a mesh has at most"},
      {with("{mesh['x'=2,'x'=2], [{},{}]}"), "axis 'x' is duplicated"},
      {with("{mesh['x'=2], replicated, odd={}}"), "expected metadata= in a sharding"},
      {with("{mesh['x'=2,'y'=2], [{?,'x'},{}]}"), "Saw axis ref after '?'"},
      {with("{mesh['x'=2,'y'=2], [{'x'},{}], odd={}}"),
       "unknown attribute in named sharding: expected replicated, unreduced, manual or metadata"},
      {with("{mesh['a\"b'=2], [{},{}]}"),
       "an axis name cannot hold quotes, backslashes or control characters"},
      {with("{+}"), "unexpected token"},
      {with("{odd=1}"), "unknown attribute in sharding: expected device="},
      {with("{maximal}"), "maximal shardings should have exactly one device assigned"},
      {with("{devices=[3,1,2]<=[4] last_tile_dim_replicate}"),
       "the iota does not have as many devices as there are tiles"},
      {with("{mesh['x'=2], [{'x'},{'x'}]}"), "axis 'x' is duplicated or overlaps 'x'"},
      {with("{mesh['x'=4], [{'x':(1)3},{}]}"), "does not divide the axis of size 4"},
      {with("{mesh['x'=4], device_ids=(0,1,2,4), [{'x'},{}]}"),
       "must name each of the devices 0 to 3 once"},
      {with("{device=1}"), "non-maximal shardings must have a tile assignment list"},
      {with("{devices=[1,1]0}"), "non-maximal shardings must have more than one device assigned"},
      {with("{replicated device=1}"), "replicated shardings should not have any devices assigned"},
      {with("{manual device=1}"), "manual shardings should not have any devices assigned"},
      {with("{unknown device=1}"), "unknown shardings should not have any devices assigned"},
      {with("{unreduced device=1}"), "unreduced shardings should not have any devices assigned"},
      {std::string(kP) + "ROOT d = f32[4] domain(p), domain={kind=\"odd\", entry={replicated}, "
                         "exit={replicated}}",
       "unsupported domain kind: odd"},
  });
}

TEST(ParserRejections, ShapesAndNumbers) {
  const std::string conv =
      "a = f32[1,8,8,1] parameter(0)\n k = f32[3,3,1,1] parameter(1)\n ROOT c = f32[1,6,6,1] "
      "convolution(a, k), ";
  ExpectRejected({
      {"ROOT p = b((f32[4])) parameter(0)", "expects an array shape in a buffer shape"},
      {"ROOT p = b(b(f32[4])) parameter(0)", "expects an array shape in a buffer shape"},
      {"ROOT p = f32[4]{0:D(X)} parameter(0)", "expected a DimLevelType abbreviation (D, C, or S)"},
      {"ROOT c = f32[2] constant({x, 1})", "unexpected token type in a literal"},
      {std::string(kP) + "ROOT s = f32[4] sort(p), dimensions={0}, is_stable=1, to_apply=e",
       "expects true or false"},
      {std::string(kP) + "ROOT c = f32[4] custom-call(p), custom_call_target=f", "expects string"},
      {conv + "window={size=x}, dim_labels=b01f_01io->b01f", "expects token type kInt or kDxD"},
      {conv + "window={size=3x3 pad=1}, dim_labels=b01f_01io->b01f",
       "expects window pad pattern, e.g., '0_0x3_3'"},
      {conv + "window={size=3x3 pad=1_1_1x0_0_0}, dim_labels=b01f_01io->b01f",
       "expects padding_low and padding_high separated by '_'"},
      {conv + "window={size=3x3 odd=1}, dim_labels=b01f_01io->b01f",
       "unexpected attribute name: odd"},
      {conv + "window={size=3x3 size=3x3}, dim_labels=b01f_01io->b01f",
       "sub-attribute 'size=' already exists"},
      {conv + "window={size=3x3 pad=1_1x1_1 pad=1_1x1_1}, dim_labels=b01f_01io->b01f",
       "sub-attribute 'pad=' already exists"},
      {conv + "window={size=3x3}, dim_labels=3",
       "expects dim labels pattern, e.g., 'bf0_0io->0bf'"},
      {"HloModule m, input_output_alias={ {}: (0, {}, odd) }\nENTRY e { ROOT p = f32[4] "
       "parameter(0) }",
       "Unexpected aliasing kind"},
      {"ROOT c = f32[4]{0} custom-call(), custom_call_target=\"f\", "
       "operand_layout_constraints={f32[4]{0}}",
       "Expected 0 operand layout constraints, 1 given"},
  });
  EXPECT_ERROR(ParseShape("f32[4"), "Syntax error");
  EXPECT_ERROR(ParseShape("f32[4] 5"), "Extra content after");
}

TEST(ParserRejections, AsyncFormsOfOperationsThatHaveTheirOwn) {
  ExpectRejected({
      {std::string(kP) + "ROOT u = f32[4] all-reduce-update(p)",
       "expects opcode but sees: all-reduce-update, error: Unknown opcode: all-reduce-update"},
      {std::string(kP) + "ROOT u = f32[4] send-start(p)", "Unknown opcode: send-start"},
      {std::string(kP) + "ROOT u = f32[4] odd-start(p)",
       "expects async wrapped opcode but sees: odd-start, error: Unknown opcode: odd"},
  });
}

// XLA checks that of reductions while it parses, and of gathers when it verifies.
TEST(ParserRejections, GlobalDeviceIdsOfReductionsNeedAChannel) {
  const std::string text =
      "HloModule m\nadd { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) "
      "}\n"
      "ENTRY e { p = f32[4] parameter(0) ROOT g = ";
  const std::string groups = "replica_groups={{0,1}}, use_global_device_ids=true";
  EXPECT_ERROR(
      ParseAndReturnUnverifiedModule(text + "f32[4] all-reduce(p), to_apply=add, " + groups + " }"),
      "Cannot have use_global_device_ids=true without channel_id");
  EXPECT_OK(ParseAndReturnUnverifiedModule(text + "f32[8] all-gather(p), dimensions={0}, " +
                                           groups + " }"));
}

}  // namespace
}  // namespace xla
