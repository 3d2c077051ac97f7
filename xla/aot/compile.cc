// SPDX-License-Identifier: Apache-2.0
#include "xla/aot/compile.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "xla/aot/entry_code.h"
#include "xla/aot/links.h"
#include "xla/aot/program_writer.h"
#include "xla/aot/runtime/table.h"
#include "xla/aot/signature.h"
#include "xla/base/fnv_hash.h"
#include "xla/base/status_macros.h"
#include "xla/cpu/codegen/code_generator.h"
#include "xla/cpu/program_impl.h"
#include "xla/cpu/run/literal_memory.h"

namespace xla::aot {
namespace {

uint64_t DigestOf(absl::Span<const char> bytes) { return FnvHash({bytes.data(), bytes.size()}); }

// The constants of all targets, equal ones once.
class ConstantPool {
 public:
  ConstantPool(ObjectMachine machine, std::string prefix, bool in_file)
      : object_(machine), prefix_(std::move(prefix)), in_file_(in_file) {}

  struct Place {
    std::string symbol;   // or none:
    int64_t offset = -1;  // in the file
  };

  Place Add(absl::Span<const char> bytes) {
    constexpr size_t kFewBytes = 1024;
    std::vector<Entry>& candidates = entries_[DigestOf(bytes)];
    for (const Entry& entry : candidates) {
      if (entry.bytes.size() == bytes.size() &&
          std::memcmp(entry.bytes.data(), bytes.data(), bytes.size()) == 0)
        return entry.place;
    }
    Entry& entry = candidates.emplace_back();
    entry.bytes.assign(bytes.begin(), bytes.end());
    if (in_file_ && bytes.size() >= kFewBytes) {
      if (file_.empty()) file_.resize(kWeightsStart);
      file_.resize((file_.size() + 63) / 64 * 64);
      entry.place.offset = static_cast<int64_t>(file_.size());
      file_.append(bytes.data(), bytes.size());
    } else {
      object_.Align(64);
      entry.place.symbol = absl::StrCat(prefix_, count_++);
      object_.Define(entry.place.symbol);
      object_.AddBytes(bytes);
      object_.Align(64);  // kernels load whole vectors
    }
    return entry.place;
  }

  bool has_object() const { return count_ > 0; }
  std::string Object() const { return object_.Write(); }
  // Writes the header of the file, once all constants are there.
  void FinishFile() {
    if (file_.empty()) return;
    std::memcpy(header_.magic, kWeightsMagic, sizeof(header_.magic));
    header_.version = kWeightsVersion;
    header_.bytes = static_cast<int64_t>(file_.size());
    header_.digest =
        static_cast<int64_t>(DigestOf(absl::MakeConstSpan(file_).subspan(kWeightsStart)));
    std::memcpy(file_.data(), &header_, sizeof(header_));
  }
  // Of the finished file; zeros if there is none.
  const WeightsHeader& file_header() const { return header_; }
  std::string TakeFile() { return std::move(file_); }

 private:
  struct Entry {
    std::vector<char> bytes;
    Place place;
  };
  DataObject object_;
  const std::string prefix_;
  const bool in_file_;
  std::map<uint64_t, std::vector<Entry>> entries_;
  std::string file_;
  WeightsHeader header_ = {};
  int64_t count_ = 0;
};

}  // namespace

class ProgramCompiler {
 public:
  ProgramCompiler(const HloModule& module, const CpuCompileOptions& options,
                  const AotOptions& aot_options)
      : module_(module), options_(options), aot_(aot_options), prefix_(aot_options.name + "__") {}

  absl::StatusOr<AotLibrary> Compile() {
    XLA_RETURN_IF_ERROR(Check());
    XLA_RETURN_IF_ERROR(ChooseTargets());
    const ObjectMachine machine = MachineOf(targets_[0].target);
    ConstantPool constants(machine, prefix_ + "constant_", aot_.weights_in_file);
    DataObject tables(machine);
    std::vector<TargetParts> parts;
    for (size_t i = 0; i < targets_.size(); ++i) {
      XLA_ASSIGN_OR_RETURN(TargetParts part, CompileTarget(i, constants, tables));
      parts.push_back(std::move(part));
    }
    constants.FinishFile();
    WriteProgramTable(constants.file_header(), parts, tables);
    XLA_ASSIGN_OR_RETURN(std::string entry, EntryObject(signature_, targets_[0].target,
                                                        absl::StrCat(prefix_, "program")));
    AddMember("entry.o", std::move(entry));
    AddMember("tables.o", tables.Write());
    if (constants.has_object()) AddMember("constants.o", constants.Object());
    const std::vector<std::string> exported = EntryFunctions(aot_.name);
    for (ArchiveMember& member : library_.members)
      XLA_RETURN_IF_ERROR(HideSymbols(member.object, exported));
    library_.header = HeaderText(signature_);
    library_.weights = constants.TakeFile();
    return std::move(library_);
  }

 private:
  struct NamedTarget {
    std::string name;
    cpu::Target target;
    InstructionSet bound;
  };
  // What the table of a target consists of; other numbers are symbols.
  struct TargetParts {
    std::string symbol_prefix;
    InstructionSet bound;
    bool flushes_subnormals = false;
    int64_t units = 0;
  };

  static ObjectMachine MachineOf(const cpu::Target& target) {
    return absl::StartsWith(target.triple, "aarch64") ? ObjectMachine::kArm : ObjectMachine::kX86;
  }

  void AddMember(std::string name, std::string object) {
    library_.members.push_back({std::move(name), std::move(object)});
  }

  absl::Status Check() const {
    if (!IsCIdentifier(aot_.name)) {
      return absl::InvalidArgumentError(
          absl::StrCat("the program's name '", aot_.name, "' is not an identifier of C and C++"));
    }
    const int64_t devices = module_.config().replica_count() * module_.config().num_partitions();
    if (devices > 1) {
      return absl::UnimplementedError(
          absl::StrCat("module ", module_.name(), " runs on ", devices,
                       " devices; programs of several devices are not compiled ahead of time"));
    }
    return absl::OkStatus();
  }

  // The targets that need more instructions first.
  absl::Status ChooseTargets() {
    for (const std::string& name : aot_.targets) {
      NamedTarget named;
      named.name = name;
      XLA_ASSIGN_OR_RETURN(named.target, cpu::TargetNamed(name, &named.bound));
      for (const NamedTarget& other : targets_) {
        if (other.name == name)
          return absl::InvalidArgumentError(absl::StrCat("target ", name, " is given twice"));
        if (MachineOf(other.target) != MachineOf(named.target)) {
          return absl::InvalidArgumentError(absl::StrCat(
              "a library is of one architecture: targets ", other.name, " and ", name));
        }
      }
      targets_.push_back(std::move(named));
    }
    if (targets_.empty()) return absl::InvalidArgumentError("a library needs a target");
    std::stable_sort(targets_.begin(), targets_.end(),
                     [](const auto& a, const auto& b) { return a.bound > b.bound; });
    for (const NamedTarget& named : targets_) signature_.targets.push_back(named.name);
    return absl::OkStatus();
  }

  absl::StatusOr<TargetParts> CompileTarget(size_t number, ConstantPool& constants,
                                            DataObject& tables) {
    const NamedTarget& named = targets_[number];
    const ScopedMaxInstructionSet bound(named.bound);
    CpuCompileOptions options = options_;
    options.pool = nullptr;  // the same objects on all machines
    options.target = &named.target;
    options.keep_objects = true;
    options.symbol_prefix = absl::StrCat(prefix_, number, "_");
    XLA_ASSIGN_OR_RETURN(const auto program, CpuProgram::Compile(module_, options));
    const CpuProgram::Impl& impl = *program->impl_;
    if (number == 0) SetSignature(impl);
    for (size_t i = 0; i < program->objects().size(); ++i) {
      const std::vector<char>& object = program->objects()[i];
      AddMember(absl::StrCat("code", number, "_", i, ".o"),
                std::string(object.begin(), object.end()));
    }
    Links machine;
    machine.AddMachine(named.target.machine);
    for (const std::string& symbol : machine.Symbols()) tables.Need(symbol);
    return WriteTarget(impl, options.symbol_prefix, named.bound, constants, tables);
  }

  void SetSignature(const CpuProgram::Impl& impl) {
    signature_.name = aot_.name;
    const std::vector<std::string> names = ArgumentNames(module_);
    const std::vector<std::string> result_names = ResultNames(impl.result_shape, names);
    const auto leaf = [&](const std::string& name, const Shape& shape,
                          const DimensionVector& strides, int32_t memory) {
      Leaf made;
      made.name = name;
      made.shape = shape;
      made.strides = strides;
      made.bytes = cpu::DenseArrayBytes(shape);
      made.memory = memory;
      return made;
    };
    std::map<size_t, int64_t> numbers;  // of the arrays among the arguments
    for (size_t i = 0; i < impl.argument_leaves.size(); ++i) {
      const Shape& shape = impl.argument_leaves[i];
      if (!shape.IsArray()) continue;
      numbers[i] = static_cast<int64_t>(signature_.arguments.size());
      signature_.arguments.push_back(
          leaf(names[i], shape, impl.argument_strides[i], impl.argument_memory[i]));
    }
    for (size_t k = 0; k < impl.result_leaves.size(); ++k) {
      const Shape& shape = impl.result_leaves[k];
      if (!shape.IsArray()) continue;
      signature_.results.push_back(
          leaf(result_names[k], shape, impl.result_strides[k], impl.result_memory[k]));
      if (impl.donors[k] >= 0 && impl.schedule.has_aliases)
        signature_.results.back().donor = numbers.at(static_cast<size_t>(impl.donors[k]));
    }
  }

  absl::StatusOr<TargetParts> WriteTarget(const CpuProgram::Impl& impl, const std::string& prefix,
                                          InstructionSet bound, ConstantPool& constants,
                                          DataObject& tables) {
    ProgramWriter writer(impl.lowered.code);
    TargetParts parts;
    parts.symbol_prefix = prefix;
    parts.bound = bound;
    parts.flushes_subnormals = impl.floating_point_mode == FloatingPointMode::FlushingSubnormals();
    std::vector<UnitTable> units;
    std::vector<ProgramWriter::Unit> written;
    const auto add = [&](const cpu::ProgramSchedule& schedule, const cpu::ThunkSequence& thunks,
                         absl::Span<char* const> data, int64_t arguments,
                         int64_t results) -> absl::Status {
      XLA_ASSIGN_OR_RETURN(ProgramWriter::Unit unit, writer.Write(thunks, data));
      const std::string name = absl::StrCat(prefix, "constants_", units.size());
      WriteConstants(name, schedule, data, constants, tables);
      units.push_back({unit.block, arguments, results, schedule.scratch_bytes,
                       static_cast<int64_t>(data.size()), nullptr,
                       static_cast<int64_t>(unit.kernels.size()), nullptr});
      written.push_back(std::move(unit));
      return absl::OkStatus();
    };
    XLA_RETURN_IF_ERROR(add(impl.schedule, impl.lowered.thunks, impl.constants,
                            impl.memories.arguments, impl.memories.results));
    signature_.scratch_bytes =
        std::max(signature_.scratch_bytes, FrameBytes(units[0], impl.lowered.prepared));
    for (const auto& nested : impl.lowered.nested) {
      XLA_RETURN_IF_ERROR(add(nested->schedule(), nested->thunks, nested->constants,
                              nested->arguments(), nested->results()));
    }
    parts.units = static_cast<int64_t>(units.size());
    WriteNumbers(prefix, writer, tables);
    WriteUnits(prefix, units, written, tables);
    for (const std::string& symbol : writer.links().Symbols()) tables.Need(symbol);
    return parts;
  }

  // Of one thread.
  static int64_t FrameBytes(const UnitTable& unit,
                            absl::Span<const kernels::Kernel* const> prepared) {
    int64_t library = 0;
    for (const kernels::Kernel* kernel : prepared)
      library = std::max(library, kernel->ScratchBytes(1));
    return FrameBytesOf(unit, library);
  }

  static void WriteConstants(const std::string& name, const cpu::ProgramSchedule& schedule,
                             absl::Span<char* const> data, ConstantPool& constants,
                             DataObject& tables) {
    tables.Align(8);
    tables.Define(name);
    for (size_t i = 0; i < data.size(); ++i) {
      const int64_t bytes = cpu::DenseArrayBytes(schedule.constants[i]->shape());
      const ConstantPool::Place place =
          constants.Add(absl::MakeConstSpan(data[i], static_cast<size_t>(bytes)));
      tables.AddAddress(place.symbol);
      tables.AddNumber(place.offset);
      tables.AddNumber(bytes);
    }
  }

  static void WriteNumbers(const std::string& prefix, const ProgramWriter& writer,
                           DataObject& tables) {
    tables.Align(8);
    tables.Define(prefix + "numbers");
    for (const int64_t number : writer.numbers()) tables.AddNumber(number);
    tables.Define(prefix + "blocks");
    for (const auto& [begin, end] : writer.blocks()) {
      tables.AddNumber(begin);
      tables.AddNumber(end);
    }
    tables.Define(prefix + "functions");
    for (const std::string& function : writer.functions()) tables.AddAddress(function);
  }

  static void WriteUnits(const std::string& prefix, const std::vector<UnitTable>& units,
                         const std::vector<ProgramWriter::Unit>& written, DataObject& tables) {
    for (size_t i = 0; i < units.size(); ++i) {
      tables.Define(absl::StrCat(prefix, "kernels_", i));
      for (const KernelTable& kernel : written[i].kernels) {
        tables.AddNumber(kernel.function);
        tables.AddNumber(kernel.first);
      }
    }
    tables.Define(prefix + "units");
    for (size_t i = 0; i < units.size(); ++i) {
      const UnitTable& unit = units[i];
      for (const int64_t number :
           {unit.block, unit.arguments, unit.results, unit.scratch_bytes, unit.constant_count})
        tables.AddNumber(number);
      tables.AddAddress(absl::StrCat(prefix, "constants_", i));
      tables.AddNumber(unit.kernel_count);
      tables.AddAddress(absl::StrCat(prefix, "kernels_", i));
    }
  }

  void WriteProgramTable(const WeightsHeader& weights, absl::Span<const TargetParts> parts,
                         DataObject& tables) {
    const auto define_text = [&](const std::string& symbol, const std::string& text) {
      tables.Define(symbol);
      tables.AddText(text);
    };
    std::vector<const Leaf*> leaves;
    for (const Leaf& leaf : signature_.arguments) leaves.push_back(&leaf);
    for (const Leaf& leaf : signature_.results) leaves.push_back(&leaf);
    define_text(prefix_ + "name", aot_.name);
    for (size_t i = 0; i < leaves.size(); ++i)
      define_text(absl::StrCat(prefix_, "array_", i), leaves[i]->name);
    tables.Align(8);
    for (size_t i = 0; i < leaves.size(); ++i) {
      tables.Define(absl::StrCat(prefix_, "bounds_", i));
      for (const int64_t bound : leaves[i]->bounds()) tables.AddNumber(bound);
    }
    tables.Define(prefix_ + "arrays");
    for (size_t i = 0; i < leaves.size(); ++i) {
      tables.AddAddress(absl::StrCat(prefix_, "array_", i));
      tables.AddNumber(leaves[i]->bytes);
      tables.AddNumber(leaves[i]->memory);
      tables.AddNumber(static_cast<int64_t>(leaves[i]->bounds().size()));
      tables.AddAddress(absl::StrCat(prefix_, "bounds_", i));
      tables.AddNumber(leaves[i]->donor);
    }
    tables.Define(prefix_ + "targets");
    for (const TargetParts& part : parts) {
      tables.AddNumber(static_cast<int64_t>(part.bound));
      tables.AddNumber(part.flushes_subnormals ? 1 : 0);
      for (const char* list : {"numbers", "blocks", "functions"})
        tables.AddAddress(part.symbol_prefix + list);
      tables.AddNumber(part.units);
      tables.AddAddress(part.symbol_prefix + "units");
    }
    tables.Define(prefix_ + "program");
    tables.AddNumber(kTableVersion);
    tables.AddAddress(prefix_ + "name");
    tables.AddNumber(static_cast<int64_t>(signature_.arguments.size()));
    tables.AddNumber(static_cast<int64_t>(signature_.results.size()));
    tables.AddAddress(prefix_ + "arrays");
    tables.AddNumber(weights.bytes);
    tables.AddNumber(weights.digest);
    tables.AddNumber(static_cast<int64_t>(parts.size()));
    tables.AddAddress(prefix_ + "targets");
    signature_.has_weights_file = weights.bytes > 0;
  }

  const HloModule& module_;
  const CpuCompileOptions& options_;
  const AotOptions& aot_;
  const std::string prefix_;  // of symbols that are not exported
  std::vector<NamedTarget> targets_;
  Signature signature_;
  AotLibrary library_;
};

absl::StatusOr<AotLibrary> CompileAheadOfTime(const HloModule& module,
                                              const CpuCompileOptions& options,
                                              const AotOptions& aot_options) {
  return ProgramCompiler(module, options, aot_options).Compile();
}

}  // namespace xla::aot
