// SPDX-License-Identifier: Apache-2.0
// What the parts of the extension share.
#ifndef XYLEM_PYTHON_EXTENSION_COMMON_H_
#define XYLEM_PYTHON_EXTENSION_COMMON_H_

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

#include "python/native/api.h"

namespace xla::python {

namespace nb = nanobind;

// Sets the exception of the package that stands for the error.
void SetError(const Error& error);

// The value, or the exception. Called with the interpreter's lock.
template <typename T>
T Take(Result<T> result) {
  if (!result.ok()) {
    SetError(result.error());
    throw nb::python_error();
  }
  return std::move(result.value());
}

// Calls a function without the interpreter's lock, and takes its result.
template <typename Function>
auto TakeUnlocked(Function&& function) {
  auto result = [&] {
    nb::gil_scoped_release released;
    return function();
  }();
  return Take(std::move(result));
}

// Runs without the interpreter's lock; Ctrl-C, or whatever else raises in a handler of a signal,
// ends them. Handlers run on the main thread alone, so that other threads are asked nothing.
class SignalScope {
 public:
  SignalScope();   // releases the lock
  ~SignalScope();  // takes it again
  SignalScope(const SignalScope&) = delete;
  SignalScope& operator=(const SignalScope&) = delete;

  InterruptCheck check();
  // Takes the lock and asks, without waiting for the interval. True: an exception is set.
  bool Ask();
  bool is_main_thread() const { return is_main_thread_; }
  bool was_raised() const { return raised_.load(std::memory_order_relaxed); }

 private:
  static bool IsRequested(void* scope);

  PyThreadState* state_;
  const bool is_main_thread_;
  const unsigned long thread_;
  int64_t asked_;
  std::atomic<bool> raised_{false};
};

// --- Arrays (arrays.cc)

// An array of NumPy, looked into without its headers. Null: the object is none.
struct ArrayFields;
const ArrayFields* AsArray(PyObject* object);

// The dtype of an element type: a borrowed reference, or null with an exception set.
PyObject* DtypeOf(int type);
// The element type of an array's dtype, 0 for others.
int ElementTypeOfArray(const ArrayFields& array);

// Memory for an argument: of `object` itself where it is a row-major, aligned array of the leaf's
// type and dimensions, else of a copy, which `keep` holds. Throws python_error.
ArgumentArray ArgumentOf(const Leaf& leaf, size_t position, PyObject* object, nb::list& keep,
                         std::vector<int64_t>& dimensions);
// An array that owns the memory of the result. New reference, or null with an exception set; the
// memory is taken over in any case.
PyObject* ArrayOf(const Leaf& leaf, ResultArray& result);
// An array of the shape and type, on memory that `owner` keeps.
nb::object BorrowedArray(const ShapeInfo& shape, const void* data, nb::handle owner);
// Row-major memory of an array: its address, element type and dimensions.
bool ContiguousArray(PyObject* object, ShapeInfo& shape, const void*& data);

void BindModules(nb::module_& module);
void BindPrograms(nb::module_& module);
void BindBuilder(nb::module_& module);
void BindArrays(nb::module_& module);

}  // namespace xla::python

#endif  // XYLEM_PYTHON_EXTENSION_COMMON_H_
