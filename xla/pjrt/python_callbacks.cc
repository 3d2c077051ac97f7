// SPDX-License-Identifier: Apache-2.0
// Callbacks: custom calls whose handlers are functions of Python.
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/ffi/handlers.h"
#include "xla/pjrt/python.h"
#include "xla/pjrt/python_state.h"

namespace xla::pjrt {
namespace {

// PyBUF_READ and PyBUF_WRITE of PyMemoryView_FromMemory.
constexpr int kRead = 0x100, kWrite = 0x200;

enum class Access {
  kCopy,   // the function may keep the array
  kRead,   // in place
  kWrite,  // in place
};

// Owns a reference.
class Object {
 public:
  Object(const PythonState& python, _object* object) : python_(python), object_(object) {}
  Object(Object&& other) noexcept
      : python_(other.python_), object_(std::exchange(other.object_, nullptr)) {}
  ~Object() {
    if (object_ != nullptr) python_.api.dec_ref(object_);
  }
  _object* get() const { return object_; }
  _object* release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  const PythonState& python_;
  _object* object_;
};

class CallbackCall {
 public:
  CallbackCall(const PythonState& python, CustomCallFrame& call) : python_(python), call_(call) {}

  absl::Status Run(uint64_t index, bool in_place) {
    const size_t count = call_.arguments.size(), results = call_.results.size();
    Object parameters = Tuple(2 + count + results);
    bool made = parameters && Set(parameters, 0, Integer(static_cast<int64_t>(index))) &&
                Set(parameters, 1, Integer(static_cast<int64_t>(count)));
    for (size_t i = 0; made && i < count; ++i) {
      made = Set(parameters, 2 + i,
                 Array(call_.arguments[i], in_place ? Access::kRead : Access::kCopy));
    }
    for (size_t i = 0; made && i < results; ++i) {
      made = Set(parameters, 2 + count + i, Array(call_.results[i], Access::kWrite));
    }
    if (!made) return Failure();
    const Object outcome(python_, python_.api.call(python_.dispatch, parameters.get()));
    if (!outcome) return Failure();
    if (outcome.get() == python_.none) return absl::OkStatus();
    ptrdiff_t size = 0;
    if (const char* message = python_.api.text(outcome.get(), &size)) {
      return absl::InternalError(absl::string_view(message, static_cast<size_t>(size)));
    }
    DropError();
    python_.api.inc_ref(outcome.get());
    return EndProgram(
        {python_.api.type(outcome.get()), outcome.get(), python_.api.traceback(outcome.get())});
  }

 private:
  Object Tuple(size_t size) {
    return Object(python_, python_.api.tuple_new(static_cast<ptrdiff_t>(size)));
  }
  Object Integer(int64_t value) { return Object(python_, python_.api.integer(value)); }
  Object None() {
    python_.api.inc_ref(python_.none);
    return Object(python_, python_.none);
  }

  bool Set(Object& tuple, size_t i, Object value) {
    return value &&
           python_.api.tuple_set(tuple.get(), static_cast<ptrdiff_t>(i), value.release()) == 0;
  }

  // numpy.ndarray(shape, dtype, buffer)
  Object Array(const CustomCallBuffer& buffer, Access access) {
    const Shape& shape = *buffer.shape;
    if (!shape.IsArray()) return None();
    const auto type = static_cast<size_t>(shape.element_type());
    if (type >= python_.dtypes.size() || python_.dtypes[type] == nullptr) {
      unknown_type_ = primitive_util::LowercasePrimitiveTypeName(shape.element_type());
      return Object(python_, nullptr);
    }
    Object parameters = Tuple(3), sizes = Tuple(static_cast<size_t>(shape.rank()));
    if (!parameters || !sizes) return Object(python_, nullptr);
    for (int i = 0; i < shape.rank(); ++i) {
      if (!Set(sizes, static_cast<size_t>(i), Integer(shape.dimensions(i))))
        return Object(python_, nullptr);
    }
    python_.api.inc_ref(python_.dtypes[type]);
    Object dtype(python_, python_.dtypes[type]);
    auto* const data = static_cast<char*>(buffer.data);
    Object memory(python_, access == Access::kCopy
                               ? python_.api.bytes(data, buffer.size_bytes)
                               : python_.api.memory(data, buffer.size_bytes,
                                                    access == Access::kRead ? kRead : kWrite));
    if (!Set(parameters, 0, std::move(sizes)) || !Set(parameters, 1, std::move(dtype)) ||
        !Set(parameters, 2, std::move(memory))) {
      return Object(python_, nullptr);
    }
    return Object(python_, python_.api.call(python_.array, parameters.get()));
  }

  absl::Status EndProgram(const PythonError& error) {
    RaiseInMainThread(python_, error);
    if (PythonSignals* const signals = PythonSignals::Current()) signals->Request();
    return absl::CancelledError("the callback raised an exception that ends the program");
  }

  // Errors of the function itself are texts already. Other errors are about memory, or from a
  // signal handler, which the main thread may run before the function catches exceptions.
  absl::Status Failure() {
    if (!unknown_type_.empty()) {
      return absl::UnimplementedError(
          absl::StrCat("NumPy has no element type for ", unknown_type_));
    }
    if (pthread_equal(pthread_self(), python_.main_thread)) {
      PythonError error;
      python_.api.err_fetch(&error.type, &error.value, &error.traceback);
      if (error.type != nullptr) return EndProgram(error);
    }
    DropError();
    return absl::ResourceExhaustedError("Python has no memory for the arrays of a callback");
  }

  void DropError() {
    PythonError error;
    python_.api.err_fetch(&error.type, &error.value, &error.traceback);
    for (_object* const part : {error.type, error.value, error.traceback}) {
      if (part != nullptr) python_.api.dec_ref(part);
    }
  }

  const PythonState& python_;
  CustomCallFrame& call_;
  std::string unknown_type_;
};

absl::Status Call(CustomCallFrame& call, bool in_place) {
  const PythonState* const python = Python();
  if (python == nullptr) {
    return absl::FailedPreconditionError("no Python interpreter is known to run the callback");
  }
  if (!MayCallPython(*python)) {
    return absl::CancelledError("the Python interpreter is shutting down");
  }
  XLA_ASSIGN_OR_RETURN(const uint64_t index, call.attributes().Get<uint64_t>("index"));
  const ffi::InsideCustomCall inside;
  const PythonLock lock(*python);
  return CallbackCall(*python, call).Run(index, in_place);
}

}  // namespace

bool IsPythonCallback(std::string_view target) {
  return target == kPythonCallback || target == kPartitionedPythonCallback ||
         target == kPythonBufferCallback;
}

void AddPythonCallbacks(CustomCallRegistry& registry) {
  for (const char* const target : {kPythonCallback, kPartitionedPythonCallback}) {
    (void)registry.Register(target,
                            [](CustomCallFrame& call) { return Call(call, /*in_place=*/false); });
  }
  (void)registry.Register(kPythonBufferCallback,
                          [](CustomCallFrame& call) { return Call(call, /*in_place=*/true); });
}

}  // namespace xla::pjrt
