// SPDX-License-Identifier: Apache-2.0
#include "xla/aot/program_writer.h"

#include <bit>
#include <optional>
#include <type_traits>
#include <variant>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "xla/aot/library_steps.h"
#include "xla/base/status_macros.h"
#include "xla/kernels/recipe.h"

namespace xla::aot {
namespace {

void AddSlot(const cpu::Slot& slot, std::vector<int64_t>& numbers) {
  numbers.push_back(slot.base);
  numbers.push_back(slot.offset);
}

void AddSlots(absl::Span<const cpu::Slot> slots, std::vector<int64_t>& numbers) {
  numbers.push_back(static_cast<int64_t>(slots.size()));
  for (const cpu::Slot& slot : slots) AddSlot(slot, numbers);
}

// The families of xla/aot/runtime/kernel_makers.h, in the order of kernels::Recipe.
constexpr const char* kMakers[] = {
    "xylem_make_dot",
    "xylem_make_convolution",
    "xylem_make_fft",
    "xylem_make_scan",
    "xylem_make_sort",
    "xylem_make_top_k",
    "xylem_make_random_bits",
    "xylem_make_cholesky",
    "xylem_make_triangular_solve",
    "xylem_make_qr",
    "xylem_make_householder_product",
    "xylem_make_eigh",
};
static_assert(std::size(kMakers) == std::variant_size_v<kernels::Recipe>);

// Writes the fields of a recipe (xla/kernels/recipe.h), one number each.
class FieldWriter {
 public:
  FieldWriter(std::vector<int64_t>& numbers, const std::map<const void*, std::string>& names,
              const std::map<const void*, int64_t>& constants,
              absl::FunctionRef<int64_t(const std::string&)> function_named, Links& links)
      : numbers_(numbers),
        names_(names),
        constants_(constants),
        function_named_(function_named),
        links_(links) {}

  template <typename T>
  void operator()(const T& value) {
    if constexpr (std::is_floating_point_v<T>) {
      numbers_.push_back(std::bit_cast<int64_t>(static_cast<double>(value)));
    } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
      numbers_.push_back(static_cast<int64_t>(value));
      if constexpr (std::is_same_v<T, PrimitiveType>) links_.AddType(value);
    } else {
      Count(value);
      for (const auto& element : value) (*this)(element);
    }
  }
  template <typename List>
  void Count(const List& list) {
    numbers_.push_back(static_cast<int64_t>(list.size()));
  }
  template <typename Signature>
  void Function(Signature* function) {
    const auto found = names_.find(reinterpret_cast<const void*>(function));
    numbers_.push_back(found == names_.end() ? -1 : function_named_(found->second));
  }
  // Contents that are not a constant of the unit are not packed beforehand.
  void Constant(const void* data) {
    const auto found = constants_.find(data);
    numbers_.push_back(data == nullptr || found == constants_.end() ? -1 : found->second);
  }

 private:
  std::vector<int64_t>& numbers_;
  const std::map<const void*, std::string>& names_;
  const std::map<const void*, int64_t>& constants_;
  absl::FunctionRef<int64_t(const std::string&)> function_named_;
  Links& links_;
};

}  // namespace

ProgramWriter::ProgramWriter(absl::Span<const std::unique_ptr<cpu::NativeCode>> code) {
  for (const auto& part : code) {
    for (const auto& [name, address] : part->functions()) names_[address] = name;
  }
}

absl::StatusOr<ProgramWriter::Unit> ProgramWriter::Write(const cpu::ThunkSequence& thunks,
                                                         absl::Span<char* const> constants) {
  unit_ = Unit();
  constants_.clear();
  for (size_t i = 0; i < constants.size(); ++i)
    constants_.emplace(constants[i], static_cast<int64_t>(i));
  XLA_ASSIGN_OR_RETURN(unit_.block, WriteBlock(thunks));
  return std::move(unit_);
}

absl::StatusOr<int64_t> ProgramWriter::WriteBlock(const cpu::ThunkSequence& thunks) {
  Numbers numbers;
  Numbers* const outer = std::exchange(block_, &numbers);
  for (const auto& thunk : thunks) XLA_RETURN_IF_ERROR(thunk->Accept(*this));
  block_ = outer;
  const auto begin = static_cast<int64_t>(numbers_.size());
  numbers_.insert(numbers_.end(), numbers.begin(), numbers.end());
  blocks_.emplace_back(begin, static_cast<int64_t>(numbers_.size()));
  return static_cast<int64_t>(blocks_.size()) - 1;
}

void ProgramWriter::AddStep(StepKind kind, const Numbers& numbers) {
  block_->push_back(static_cast<int64_t>(kind));
  block_->push_back(static_cast<int64_t>(numbers.size()));
  block_->insert(block_->end(), numbers.begin(), numbers.end());
}

int64_t ProgramWriter::FunctionNamed(const std::string& symbol) {
  const auto [found, is_new] =
      function_numbers_.try_emplace(symbol, static_cast<int64_t>(functions_.size()));
  if (is_new) functions_.push_back(symbol);
  return found->second;
}

absl::StatusOr<int64_t> ProgramWriter::FunctionAt(const void* address) {
  const auto found = names_.find(address);
  if (found == names_.end()) return absl::InternalError("a generated function has no name");
  return FunctionNamed(found->second);
}

absl::Status ProgramWriter::Visit(const cpu::KernelThunk& thunk) {
  XLA_ASSIGN_OR_RETURN(const int64_t function,
                       FunctionAt(reinterpret_cast<const void*>(thunk.function())));
  Numbers numbers = {function, thunk.units(), thunk.chunk()};
  AddSlots(thunk.arrays(), numbers);
  AddStep(StepKind::kKernel, numbers);
  return absl::OkStatus();
}

absl::Status ProgramWriter::Visit(const cpu::LoopFunctionThunk& thunk) {
  XLA_ASSIGN_OR_RETURN(const int64_t function,
                       FunctionAt(reinterpret_cast<const void*>(thunk.function())));
  Numbers numbers = {function, thunk.units(), thunk.chunk()};
  AddSlots(thunk.arrays(), numbers);
  AddStep(StepKind::kLoop, numbers);
  return absl::OkStatus();
}

absl::Status ProgramWriter::Visit(const cpu::CopyThunk& thunk) {
  Numbers numbers;
  AddSlot(thunk.from(), numbers);
  AddSlot(thunk.to(), numbers);
  numbers.push_back(thunk.bytes());
  AddStep(StepKind::kCopy, numbers);
  return absl::OkStatus();
}

absl::Status ProgramWriter::Visit(const cpu::LibraryThunk& thunk) {
  XLA_ASSIGN_OR_RETURN(const LibraryStep step, LibraryStepOf(*thunk.instruction()));
  links_.AddLibraryStep(step.function);
  Numbers numbers = {FunctionNamed(step.function)};
  std::vector<cpu::Slot> slots;
  for (const auto* leaves : {&thunk.operands(), &thunk.results()}) {
    for (const std::optional<cpu::Slot>& leaf : *leaves) {
      if (leaf.has_value()) slots.push_back(*leaf);
    }
  }
  AddSlots(slots, numbers);
  numbers.push_back(static_cast<int64_t>(step.parameters.size() + step.symbols.size()));
  for (const std::string& symbol : step.symbols) numbers.push_back(FunctionNamed(symbol));
  numbers.insert(numbers.end(), step.parameters.begin(), step.parameters.end());
  AddStep(StepKind::kCall, numbers);
  return absl::OkStatus();
}

absl::Status ProgramWriter::Visit(const cpu::OverridableThunk& thunk) {
  return absl::UnimplementedError(absl::StrCat(
      thunk.instruction()->ToShortString(), ": programs compiled ahead of time do not call '",
      thunk.instruction()->custom_call_target(),
      "', as their runtime has no LAPACK; cholesky, triangular-solve, and the Qr and Eigh of the "
      "builder are compiled"));
}

absl::Status ProgramWriter::Visit(const cpu::BitcastThunk& thunk) {
  return absl::UnimplementedError(
      absl::StrCat(thunk.instruction()->ToShortString(),
                   ": bitcasts between layouts that are not dense are not compiled ahead of time"));
}

absl::StatusOr<KernelTable> ProgramWriter::WriteRecipe(kernels::Recipe recipe) {
  KernelTable kernel;
  kernel.function = FunctionNamed(kMakers[recipe.index()]);
  kernel.first = static_cast<int64_t>(numbers_.size());
  const auto function_named = [this](const std::string& name) { return FunctionNamed(name); };
  FieldWriter writer(numbers_, names_, constants_, function_named, links_);
  links_.AddRecipe(recipe);
  std::visit([&](auto& spec) { kernels::VisitFields(writer, spec); }, recipe);
  return kernel;
}

absl::Status ProgramWriter::Visit(const cpu::PreparedThunk& thunk) {
  if (!thunk.recipe().has_value())
    return absl::InternalError("a kernel of the library has no recipe");
  XLA_ASSIGN_OR_RETURN(const KernelTable kernel, WriteRecipe(*thunk.recipe()));
  Numbers numbers = {static_cast<int64_t>(unit_.kernels.size())};
  unit_.kernels.push_back(kernel);
  AddSlots(thunk.buffers(), numbers);
  AddStep(StepKind::kPrepared, numbers);
  return absl::OkStatus();
}

absl::Status ProgramWriter::Visit(const cpu::WhileThunk& thunk) {
  Numbers numbers;
  AddSlot(thunk.predicate(), numbers);
  XLA_ASSIGN_OR_RETURN(const int64_t finish, WriteBlock(thunk.finish()));
  numbers.push_back(finish);
  numbers.push_back(static_cast<int64_t>(thunk.phases().size()));
  for (const cpu::WhileThunk::Phase& phase : thunk.phases()) {
    XLA_ASSIGN_OR_RETURN(const int64_t condition, WriteBlock(phase.condition));
    XLA_ASSIGN_OR_RETURN(const int64_t body, WriteBlock(phase.body));
    numbers.push_back(condition);
    numbers.push_back(body);
  }
  AddStep(StepKind::kWhile, numbers);
  return absl::OkStatus();
}

absl::Status ProgramWriter::Visit(const cpu::CompiledWhileThunk& thunk) {
  using Kind = cpu::CompiledWhileThunk::Entry::Kind;
  std::map<const void*, int64_t> inner;  // blocks
  for (const auto& sequence : thunk.inner()) {
    XLA_ASSIGN_OR_RETURN(inner[sequence.get()], WriteBlock(*sequence));
  }
  XLA_ASSIGN_OR_RETURN(const int64_t function,
                       FunctionAt(reinterpret_cast<const void*>(thunk.function())));
  Numbers numbers = {function, static_cast<int64_t>(thunk.table().size())};
  const auto add = [&](EntryKind kind, int64_t a, int64_t b) {
    numbers.insert(numbers.end(), {static_cast<int64_t>(kind), a, b});
  };
  for (const cpu::CompiledWhileThunk::Entry& entry : thunk.table()) {
    if (entry.kind == Kind::kRun) {
      add(EntryKind::kRun, 0, 0);
    } else if (entry.kind == Kind::kSlot) {
      add(EntryKind::kSlot, entry.slot.base, entry.slot.offset);
    } else if (const auto block = inner.find(entry.address); block != inner.end()) {
      add(EntryKind::kBlock, block->second, 0);
    } else if (entry.address == nullptr) {
      add(EntryKind::kNone, 0, 0);
    } else {
      XLA_ASSIGN_OR_RETURN(const int64_t called, FunctionAt(entry.address));
      add(EntryKind::kFunction, called, 0);
    }
  }
  AddStep(StepKind::kCompiledWhile, numbers);
  return absl::OkStatus();
}

absl::Status ProgramWriter::Visit(const cpu::ConditionalThunk& thunk) {
  Numbers numbers = {thunk.is_predicate() ? 1 : 0};
  AddSlot(thunk.selector(), numbers);
  numbers.push_back(static_cast<int64_t>(thunk.branches().size()));
  for (const cpu::ThunkSequence& branch : thunk.branches()) {
    XLA_ASSIGN_OR_RETURN(const int64_t block, WriteBlock(branch));
    numbers.push_back(block);
  }
  AddStep(StepKind::kConditional, numbers);
  return absl::OkStatus();
}

}  // namespace xla::aot
