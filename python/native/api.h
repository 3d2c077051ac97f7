// SPDX-License-Identifier: Apache-2.0
// What the Python package calls: programs, their parts, compiled programs and the builder, in types
// of the standard library alone.
//
// The library libxylem_native.so exports this namespace. Extensions for each version of Python are
// compiled against this header only, so that there is one copy of everything else. No exception
// crosses the boundary: functions that may fail return a Result.
#ifndef XYLEM_PYTHON_NATIVE_API_H_
#define XYLEM_PYTHON_NATIVE_API_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace xla::python {

// The code and message of an absl::Status.
struct Error {
  int code = 0;
  std::string message;
};

struct Nothing {};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}
  Result(Error error) : state_(std::move(error)) {}
  bool ok() const { return state_.index() == 0; }
  T& value() { return std::get<0>(state_); }
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

// --- Shapes

struct ShapeInfo {
  enum class Kind { kArray, kTuple, kToken, kOther };
  Kind kind = Kind::kOther;
  int type = 0;  // PrimitiveType
  std::vector<int64_t> dimensions;
  std::vector<bool> dynamic_dimensions;
  std::vector<int64_t> minor_to_major;  // empty without a layout
  std::vector<ShapeInfo> elements;      // of a tuple
  std::string text;                     // f32[2,3]{1,0}
};
Result<ShapeInfo> ParseShapeText(std::string_view text);
// "f32", empty for a number that is no type; and the number of a name, 0 for none.
std::string ElementTypeName(int type);
int ElementTypeNumber(std::string_view name);

// --- Modules

class Module;
using ModulePtr = std::shared_ptr<const Module>;

// A computation or an instruction of a module, which it keeps alive.
class Instruction;
class Computation {
 public:
  Computation(ModulePtr module, const void* computation);
  const std::string& name() const;
  bool is_entry() const;
  const ModulePtr& module() const { return module_; }
  std::vector<Instruction> instructions() const;  // operands first
  std::vector<Instruction> parameters() const;
  Instruction root() const;
  std::string ToString() const;
  const void* id() const { return computation_; }

 private:
  ModulePtr module_;
  const void* computation_;
};

class Instruction {
 public:
  Instruction(ModulePtr module, const void* instruction);
  const std::string& name() const;
  std::string opcode() const;
  ShapeInfo shape() const;
  const ModulePtr& module() const { return module_; }
  Computation computation() const;
  std::vector<Instruction> operands() const;
  std::vector<Instruction> users() const;
  std::vector<Computation> called_computations() const;
  bool is_root() const;
  int64_t parameter_number() const;  // -1 for other operations
  // op_type, op_name, source_file, source_line, ...: those that are set.
  std::map<std::string, std::string> metadata() const;
  std::string attributes() const;  // as HLO text: dimensions={0}, to_apply=add
  std::string sharding() const;    // empty for none
  // The array of a constant in row-major order: its bytes, which live as long as the module. Null
  // for other instructions, and for constants in another layout or of tuples.
  const void* constant() const;
  std::string ToString() const;
  const void* id() const { return instruction_; }

 private:
  ModulePtr module_;
  const void* instruction_;
};

struct PrintOptions {
  std::string to = "hlo";        // hlo, hlo-proto, stablehlo, mlirbc
  std::string options = "long";  // of HLO text: long, short, canonical, fingerprint
  bool large_constants = false, operand_shapes = false, metadata = true;
  std::string stablehlo_version = "current";  // of mlirbc
};

// A verified program. Immutable, so that threads may share it.
class Module : public std::enable_shared_from_this<Module> {
 public:
  struct Impl;
  explicit Module(std::unique_ptr<Impl> impl);
  ~Module();

  // A program in any format, which its content tells. `name` stands for the file in messages.
  static Result<ModulePtr> FromBytes(std::string_view bytes, const std::string& name,
                                     const std::string& function, bool verify);
  static Result<ModulePtr> FromFile(const std::string& path, const std::string& function,
                                    bool verify);

  const std::string& name() const;
  int64_t instruction_count() const;
  std::vector<ShapeInfo> parameter_shapes() const;
  ShapeInfo result_shape() const;
  int64_t replica_count() const;
  int64_t num_partitions() const;
  std::vector<Computation> computations(const ModulePtr& self) const;  // callees first
  Computation entry(const ModulePtr& self) const;

  Result<std::string> Print(const PrintOptions& options) const;
  Result<Nothing> Verify() const;
  // A new module, after the passes of the list ("inline-calls,fixpoint(dce,cse)", "cpu"); and what
  // they did, in a line.
  Result<std::pair<ModulePtr, std::string>> RunPasses(const std::string& passes, bool verify) const;
  uint64_t Hash() const;
  bool Equal(const Module& other) const;

  const Impl& impl() const { return *impl_; }

 private:
  const std::unique_ptr<Impl> impl_;
};

struct PassInfo {
  std::string name, summary;
};
std::vector<PassInfo> Passes();

// --- Programs

struct CompileOptions {
  std::string backend;     // cpu or interpreter; empty: cpu if LLVM can be loaded
  int threads = 0;         // 0: as many as the process may use
  int64_t replicas = 0;    // 0: what the module says
  int64_t partitions = 0;  // 0: what the module or its shardings say
  bool flush_subnormals = false;
  std::string cache;  // a folder; empty: none
  std::vector<std::string> disabled_passes;
  std::vector<std::string> custom_calls;  // shared libraries
  double timeout = 60;                    // seconds that a device waits for others
  int64_t memory_limit = 0;               // bytes; 0: what the process may use
};

// An array or token among the arguments or results, depth first.
struct Leaf {
  bool is_token = false, is_dynamic = false;
  int type = 0;
  std::vector<int64_t> dimensions;    // bounds, where sizes are dynamic
  std::vector<int64_t> byte_strides;  // of a result
  int64_t element_bytes = 0, bytes = 0;
  std::string text;  // the shape
};

// An argument: row-major memory of the leaf's dimensions, or of smaller ones where the leaf's are
// dynamic; `dimensions` are set then.
struct ArgumentArray {
  const void* data = nullptr;
  const std::vector<int64_t>* dimensions = nullptr;
};

// Memory of a run, which the receiver frees by FreeArray.
struct ResultArray {
  void* data = nullptr;
  std::vector<int64_t> dynamic_sizes;  // set where the leaf is dynamic
};
void FreeArray(void* data);

// Asked on the calling thread whether the run is to end, often: it must be quick.
struct InterruptCheck {
  bool (*is_requested)(void* context) = nullptr;
  void* context = nullptr;
};

struct RunCounts {
  int64_t peak_bytes = 0, instructions = 0, copies = 0, copied_bytes = 0;
};

struct ProfileRow {
  std::string name, text;
  int depth = 0;
  int64_t runs = 0;
  double seconds = 0, self_seconds = 0, bytes = 0, operations = 0;
};

// A compiled program. Thread-safe.
class Program {
 public:
  struct Impl;
  explicit Program(std::unique_ptr<Impl> impl);
  ~Program();

  // `cancel` may be set by another thread.
  static Result<std::shared_ptr<const Program>> Compile(const ModulePtr& module,
                                                        const CompileOptions& options,
                                                        const std::atomic<bool>* cancel);

  const ModulePtr& module() const;
  const std::vector<ShapeInfo>& parameters() const;
  const ShapeInfo& result() const;
  const std::vector<Leaf>& argument_leaves() const;
  const std::vector<Leaf>& result_leaves() const;
  const std::string& backend() const;
  int64_t devices() const;         // that run it
  int64_t result_devices() const;  // for which there is a result: replicas alone, if partitioned

  // arguments[d * leaves + i] is leaf i of device d, and so are results, which are unset if the run
  // fails. `counts` may be null.
  Result<Nothing> Run(std::span<const ArgumentArray> arguments, std::span<ResultArray> results,
                      const InterruptCheck& interrupt, RunCounts* counts) const;
  // Of one device and compiled code only; the second of two runs is measured.
  Result<std::vector<ProfileRow>> Profile(std::span<const ArgumentArray> arguments,
                                          const InterruptCheck& interrupt) const;
  // As it runs, after all passes.
  Result<ModulePtr> OptimizedModule() const;
  int64_t generated_bytes() const;
  int64_t scratch_bytes() const;

 private:
  const std::unique_ptr<Impl> impl_;
};

// --- The builder

class Builder;

struct Op {
  std::shared_ptr<Builder> builder;
  int64_t index = 0;
};

// An argument of an operation of the builder, as Python gives it.
struct Value {
  enum class Kind {
    kNone,
    kBool,
    kInteger,
    kNumber,
    kText,
    kOp,
    kModule,
    kShape,
    kList,
    kDict,
    kArray
  };
  Kind kind = Kind::kNone;
  int64_t integer = 0;  // kBool, kInteger
  double number = 0, imaginary = 0;
  bool is_complex = false;
  std::string text;
  Op op;
  ModulePtr module;
  ShapeInfo shape;                // kShape; of kArray type and dimensions
  const void* data = nullptr;     // kArray: row-major
  std::vector<Value> list;        // kList, and the values of kDict
  std::vector<std::string> keys;  // kDict
};

// Builds a computation. One thread at a time.
class Builder : public std::enable_shared_from_this<Builder> {
 public:
  struct Impl;
  explicit Builder(const std::string& name);
  ~Builder();

  const std::string& name() const;
  // Calls the function of xla_ops.h that Python knows as `operation`. `builder` is used where no
  // operand has one; it may be null. For functions without a result the index of the op is -1.
  static Result<Op> Call(const std::string& operation, const std::shared_ptr<Builder>& builder,
                         const std::vector<Value>& positional,
                         const std::vector<std::pair<std::string, Value>>& named);
  Result<ShapeInfo> ShapeOf(const Op& op) const;
  std::string TextOf(const Op& op) const;
  // With a sharding (as HLO text; empty: none) and op_name for what is added from now on.
  Result<Nothing> SetSharding(const std::string& sharding);
  void SetOpName(const std::string& op_name);
  // Null root: the operation added last. The builder is empty afterwards.
  Result<ModulePtr> Build(const Op* root);

  Impl& impl() { return *impl_; }

 private:
  const std::unique_ptr<Impl> impl_;
};

}  // namespace xla::python

#endif  // XYLEM_PYTHON_NATIVE_API_H_
