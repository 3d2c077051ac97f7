// SPDX-License-Identifier: Apache-2.0
// No input makes shape inference crash: every opcode with absurd numbers in every attribute, odd
// operands and callees.
#include <limits>
#include <random>

#include "tests/infer/infer_test_util.h"
#include "xla/literal_util.h"

namespace xla {
namespace {

using testing::ShapeOf;
using testing::SignatureOf;

// Fills the fields of an attribute struct with numbers that a fuzzer would try.
class Scrambler {
 public:
  explicit Scrambler(uint32_t seed) : random_(seed) {}

  int64_t Number() {
    static constexpr int64_t kNumbers[] = {0,
                                           0,
                                           0,
                                           1,
                                           1,
                                           1,
                                           2,
                                           2,
                                           3,
                                           4,
                                           8,
                                           -1,
                                           -2,
                                           7,
                                           1024,
                                           int64_t{1} << 31,
                                           int64_t{1} << 62,
                                           std::numeric_limits<int64_t>::max(),
                                           std::numeric_limits<int64_t>::min()};
    return kNumbers[random_() % std::size(kNumbers)];
  }
  size_t Length() { return random_() % 5; }

  template <class S, class T>
  void operator()(const Field&, T S::*field) {
    Set(&(static_cast<S*>(struct_)->*field));
  }
  template <class S>
  void Fill(S* attributes) {
    struct_ = attributes;
    S::Describe(*this);
  }

 private:
  void Set(int64_t* v) { *v = Number(); }
  void Set(bool* v) { *v = random_() % 2 == 0; }
  void Set(Int64s* v) {
    v->resize(Length());
    for (int64_t& n : *v) n = Number();
  }
  void Set(WindowDims* v) {
    v->dims.resize(Length());
    for (WindowDim& d : v->dims) {
      d = {Number(), Number(), Number(), Number(), Number(), Number(), random_() % 2 == 0};
    }
  }
  void Set(std::vector<PadDim>* v) {
    v->resize(Length());
    for (PadDim& d : *v) d = {Number(), Number(), Number()};
  }
  void Set(std::vector<SliceDim>* v) {
    v->resize(Length());
    for (SliceDim& d : *v) d = {Number(), Number(), Number()};
  }
  void Set(ConvDims* v) {
    v->input_batch = Number();
    v->input_feature = Number();
    v->kernel_input_feature = Number();
    v->kernel_output_feature = Number();
    v->output_batch = Number();
    v->output_feature = Number();
    Set(&v->input_spatial);
    Set(&v->kernel_spatial);
    Set(&v->output_spatial);
  }
  void Set(Sparsity* v) {
    if (random_() % 4 == 0) v->rhs = Sparsity::Operand{Number(), Number(), Number(), Number()};
  }
  void Set(std::vector<std::pair<int64_t, int64_t>>* v) {
    v->resize(Length());
    for (auto& pair : *v) pair = {Number(), Number()};
  }
  void Set(std::vector<Int64s>* v) {
    v->resize(Length());
    for (Int64s& list : *v) Set(&list);
  }
  void Set(std::vector<OutputOperandAlias>* v) {
    v->resize(Length());
    for (OutputOperandAlias& alias : *v) {
      Set(&alias.output_index);
      alias.operand = Number();
      Set(&alias.operand_index);
    }
  }
  void Set(CollectiveDeviceList* v) {
    v->form = static_cast<CollectiveDeviceList::Form>(random_() % 3);
    Set(&v->groups);
    v->num_groups = Number();
    v->group_size = Number();
    Set(&v->reshape_dims);
    for (size_t i = Length(); i > 0; --i) v->transpose_perm.push_back(static_cast<int>(Number()));
    if (random_() % 2 == 0) {
      const auto mesh =
          Mesh::Create(std::vector<int64_t>{Number(), Number()}, {"x", "y"}, v->reshape_dims);
      v->mesh = mesh.ok() ? *mesh : Mesh({2, 4}, {"x", "y"});
    }
    v->mesh_axes = {AxisRef(Number(), {Number(), Number()}), AxisRef(Number())};
  }
  template <class T>
  void Set(std::optional<T>* v) {
    if (random_() % 2 == 0) return v->reset();
    Set(&v->emplace());
  }
  template <class T>
  void Set(T*) {}  // enumerations, texts, literals: as they are

  std::mt19937 random_;
  void* struct_ = nullptr;
};

TEST(Robustness, NoOpcodeCrashesOnAnyAttributes) {
  const std::vector<std::string> shape_texts = {"f32[]",
                                                "f32[2,3]",
                                                "s32[]",
                                                "s32[4]",
                                                "f32[1,8,8,3]",
                                                "pred[]",
                                                "token[]",
                                                "(f32[2],(s32[],token[]))",
                                                "()",
                                                "f32[?,<=4]",
                                                "f32[0,3]",
                                                "c64[3,3]",
                                                "s8[4611686018427387904]",
                                                "u64[2]",
                                                "opaque[]",
                                                "s4[8]",
                                                "f32[<=1,?,2]"};
  std::vector<Shape> shapes;
  for (const std::string& text : shape_texts) shapes.push_back(ShapeOf(text));
  std::vector<ProgramShape> signatures;
  for (const char* text :
       {"f32[] f32[] -> f32[]", " -> token[]", "f32[] f32[] -> pred[]", "f32[2,3] -> (f32[2,3])",
        "(f32[2],(s32[],token[])) -> pred[]", "f32[] s32[] f32[] s32[] -> (f32[], s32[])"}) {
    signatures.push_back(SignatureOf(text));
  }
  std::mt19937 random(7);
  int64_t accepted = 0;
  for (int round = 0; round < 400; ++round) {
    for (int op = 0; op < kNumHloOpcodes; ++op) {
      const HloOpcode opcode = static_cast<HloOpcode>(op);
      const OpInfo& info = GetOpInfo(opcode);
      Attributes attributes = MakeDefaultAttributes(opcode);
      if (round > 0) {
        Scrambler scrambler(random());
        attributes.visit([&](auto& a) { scrambler.Fill(&a); });
      }
      std::vector<const Shape*> operands(info.arity >= 0 ? info.arity : random() % 6);
      const Shape* usual = &shapes[random() % shapes.size()];
      for (auto& operand : operands)
        operand = random() % 3 != 0 ? usual : &shapes[random() % shapes.size()];
      std::vector<const ProgramShape*> callees(random() % 3);
      if (const int count = info.callee_schema().count; count >= 0) {
        callees.resize(static_cast<size_t>(count));
      }
      for (auto& callee : callees) callee = &signatures[random() % signatures.size()];
      const Shape* declared = random() % 4 == 0   ? nullptr
                              : random() % 2 == 0 ? usual
                                                  : &shapes[random() % shapes.size()];
      const auto result = InferShape(
          {opcode, operands, attributes, callees, declared, static_cast<int64_t>(random() % 5), 1});
      if (!result.ok()) {
        EXPECT_FALSE(result.status().message().empty());
        EXPECT_LT(result.status().message().size(), 8000u);
        continue;
      }
      ++accepted;
      EXPECT_TRUE(ShapeUtil::ValidateShapeWithOptionalLayout(*result).ok())
          << HloOpcodeString(opcode) << " " << result->ToString();
    }
  }
  // The numbers are not so absurd that nothing is ever right.
  EXPECT_GT(accepted, 1000);
}

TEST(Robustness, MessagesOfHugeTuplesStayShort) {
  const Shape wide =
      ShapeUtil::MakeTupleShape(std::vector<Shape>(100000, ShapeUtil::MakeShape(F32, {2})));
  const Attributes none = NoAttributes{};
  const auto result = InferShape({HloOpcode::kNegate, {&wide}, none, {}});
  ASSERT_FALSE(result.ok());
  EXPECT_LT(result.status().message().size(), 2000u);
}

}  // namespace
}  // namespace xla
