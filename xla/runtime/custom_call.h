// SPDX-License-Identifier: Apache-2.0
// Custom calls: the registry of host functions that HLO programs may call, and one call of them.
//
//   CustomCallRegistry registry;
//   XLA_RETURN_IF_ERROR(registry.Register("scale", [](CustomCallFrame& call) -> absl::Status {
//     XLA_ASSIGN_OR_RETURN(const float by, call.attributes().Get<float>("by"));
//     XLA_ASSIGN_OR_RETURN(const auto in, call.argument<float>(0));
//     XLA_ASSIGN_OR_RETURN(const auto out, call.result<float>(0));
//     for (size_t i = 0; i < in.size(); ++i) out[i] = by * in[i];
//     return absl::OkStatus();
//   }));
//   XLA_RETURN_IF_ERROR(registry.LoadLibrary("./my_calls.so"));   // custom_call_c.h
//
// A registry is an object, handed to what runs programs; nothing is registered process-wide. Fill
// it before running: it may be read from several threads, not changed meanwhile. Handlers may be
// called from several threads at once.
#ifndef XLA_RUNTIME_CUSTOM_CALL_H_
#define XLA_RUNTIME_CUSTOM_CALL_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/base/status_macros.h"
#include "xla/runtime/attribute_dictionary.h"
#include "xla/runtime/custom_call_c.h"
#include "xla/shape.h"

namespace xla {

// The memory of one array (or token, without bytes) of a call.
struct CustomCallBuffer {
  // With the layout that the data has. A dynamic dimension has its bound as size.
  const Shape* shape = nullptr;
  void* data = nullptr;    // 64-byte aligned
  int64_t size_bytes = 0;  // integers of less than 8 bits take a byte an element
  // Elements that exist in each dimension. Of a result a handler may lower those of dynamic
  // dimensions.
  std::vector<int64_t> dynamic_sizes;
};

// One call. Tuples are flat in `arguments` and `results`: one buffer a leaf, depth first.
class CustomCallFrame {
 public:
  std::string_view target;
  std::string_view instruction;              // name of the calling instruction
  std::string_view opaque;                   // backend_config as it stands; a NUL follows
  int api_version = 1;                       // CustomCallApiVersion
  std::vector<const Shape*> operand_shapes;  // one an operand, tuples whole
  const Shape* result_shape = nullptr;
  std::vector<CustomCallBuffer> arguments;
  std::vector<CustomCallBuffer> results;
  int64_t replica_id = 0;
  int64_t partition_id = 0;
  int device_ordinal = 0;  // of the client
  int64_t run_id = 0;

  // The backend_config of API_VERSION_TYPED_FFI; empty for the other versions.
  const AttributeDictionary& attributes() const { return attributes_; }

  // The elements of an array in memory order. InvalidArgument for another element type or a number
  // out of range.
  template <typename T>
  absl::StatusOr<absl::Span<const T>> argument(int64_t i) const {
    XLA_ASSIGN_OR_RETURN(
        const CustomCallBuffer* buffer,
        Typed(arguments, "argument", i, primitive_util::NativeToPrimitiveType<T>()));
    return absl::Span<const T>(static_cast<const T*>(buffer->data),
                               static_cast<size_t>(buffer->size_bytes) / sizeof(T));
  }
  template <typename T>
  absl::StatusOr<absl::Span<T>> result(int64_t i) const {
    XLA_ASSIGN_OR_RETURN(const CustomCallBuffer* buffer,
                         Typed(results, "result", i, primitive_util::NativeToPrimitiveType<T>()));
    return absl::Span<T>(static_cast<T*>(buffer->data),
                         static_cast<size_t>(buffer->size_bytes) / sizeof(T));
  }

 private:
  friend class CustomCallRegistry;
  static absl::StatusOr<const CustomCallBuffer*> Typed(const std::vector<CustomCallBuffer>& buffers,
                                                       const char* what, int64_t i,
                                                       PrimitiveType type);

  AttributeDictionary attributes_;
};

// A handler made ready for calls of one form, one after the other.
class PreparedHandler {
 public:
  virtual ~PreparedHandler() = default;
  virtual absl::Status Run(CustomCallFrame& call) = 0;
};

// A frame's target, found and made ready: see CustomCallRegistry::Bind.
class BoundCustomCall {
 public:
  absl::Status Run(CustomCallFrame& call);

 private:
  friend class CustomCallRegistry;
  std::function<absl::Status(CustomCallFrame&)> function_;
  std::unique_ptr<PreparedHandler> prepared_;  // or this
};

class CustomCallRegistry {
 public:
  using Handler = std::function<absl::Status(CustomCallFrame& call)>;
  // Makes a handler ready for calls that differ from `form` in the contents of buffers, their
  // addresses, and where they run. The form outlives it. `kept` is what the handler wants to keep
  // with the calling instruction: null at first, shared by all that are made ready for it.
  using Prepare = std::function<std::unique_ptr<PreparedHandler>(const CustomCallFrame& form,
                                                                 std::shared_ptr<void>& kept)>;

  // AlreadyExists for a registered target; InvalidArgument without a name or function.
  absl::Status Register(std::string target, Handler handler);
  absl::Status RegisterPrepared(std::string target, Prepare prepare);
  // A function of one of the untyped conventions; which, the api_version= of the call decides, as
  // in XLA. A call of API_VERSION_TYPED_FFI is an error.
  absl::Status RegisterUntyped(std::string target, void* function);
  // All targets of a table, or none. Errors name the target and what is wrong with it. `origin`, as
  // "library x.so", begins the messages. The table must outlive the registry and its copies.
  absl::Status RegisterTable(const XylemCustomCallTable* table, std::string_view origin);
  // Opens a shared library and registers its table (custom_call_c.h). A path without '/' is a file
  // of the current folder. Not a library, no entry point, another ABI version: InvalidArgument. The
  // library stays loaded until the process ends: code with threads of its own cannot be unloaded
  // safely.
  absl::Status LoadLibrary(const std::string& path);

  bool Contains(std::string_view target) const { return targets_.find(target) != targets_.end(); }
  bool empty() const { return targets_.empty(); }
  // In alphabetical order.
  std::vector<std::string> Targets() const;

  // Runs the handler of call.target. Unimplemented for an unknown target, listing the known ones;
  // InvalidArgument if its convention is not the call's or the attributes do not parse; the error
  // of the handler with its own code. Messages name the target.
  absl::Status Call(CustomCallFrame& call) const;

  // The same in two parts, of which the second can be repeated: finds the handler of `form`, whose
  // attributes it sets. The registry must outlive what it returns, unchanged.
  absl::StatusOr<BoundCustomCall> Bind(CustomCallFrame& form, std::shared_ptr<void>& kept) const;
  // Another number for each registry, copy, and change.
  uint64_t version() const { return version_.number; }

 private:
  struct Version {
    Version() : number(Next()) {}
    Version(const Version&) : Version() {}
    Version& operator=(const Version&) {
      number = Next();
      return *this;
    }
    static uint64_t Next();
    uint64_t number;
  };
  struct Target {
    Handler handler;            // typed, C++; or
    Prepare prepare;            // the same, made ready first; or
    void* untyped = nullptr;    // any of the untyped conventions; or
    XylemTarget c_target = {};  // its `convention` is 0 if unused
  };

  absl::Status Add(std::string name, Target target);

  std::map<std::string, Target, std::less<>> targets_;
  Version version_;
};

namespace internal {

// custom_call_c.cc: a call through the C interface. Errors without the target's name.
absl::Status CallTypedC(const XylemTarget& target, const AttributeDictionary& attributes,
                        CustomCallFrame& call);
absl::Status CallUntyped(const XylemTarget& target, CustomCallFrame& call);

}  // namespace internal

}  // namespace xla

#endif  // XLA_RUNTIME_CUSTOM_CALL_H_
