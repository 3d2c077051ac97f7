// SPDX-License-Identifier: Apache-2.0
// The extension module xylem._xylem: nothing but the way from Python to python/native.
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "python/extension/common.h"

namespace xla::python {
namespace {

constexpr int64_t kAskInterval = 50'000'000;  // nanoseconds

// Exact to some milliseconds, and read in a few nanoseconds.
int64_t CoarseTime() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return now.tv_sec * int64_t{1'000'000'000} + now.tv_nsec;
}

bool IsMainThread() {
  static thread_local const bool is_main = syscall(SYS_gettid) == getpid();
  return is_main;
}

}  // namespace

SignalScope::SignalScope()
    : state_(PyEval_SaveThread()),
      is_main_thread_(IsMainThread()),
      thread_(static_cast<unsigned long>(pthread_self())),
      asked_(CoarseTime()) {}

SignalScope::~SignalScope() { PyEval_RestoreThread(state_); }

InterruptCheck SignalScope::check() {
  return is_main_thread_ ? InterruptCheck{&SignalScope::IsRequested, this} : InterruptCheck{};
}

bool SignalScope::Ask() {
  if (was_raised()) return true;
  PyEval_RestoreThread(state_);
  const bool raised = PyErr_CheckSignals() != 0;
  state_ = PyEval_SaveThread();
  if (raised) raised_.store(true, std::memory_order_relaxed);
  return raised;
}

bool SignalScope::IsRequested(void* pointer) {
  auto& scope = *static_cast<SignalScope*>(pointer);
  if (scope.was_raised()) return true;
  if (static_cast<unsigned long>(pthread_self()) != scope.thread_) return false;
  const int64_t now = CoarseTime();
  if (now - scope.asked_ < kAskInterval) return false;
  scope.asked_ = now;
  return scope.Ask();
}

void SetError(const Error& error) {
  try {
    nb::object made = nb::module_::import_("xylem._errors").attr("make")(error.code, error.message);
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(made.ptr())), made.ptr());
  } catch (nb::python_error& raised) {
    raised.restore();
  }
}

}  // namespace xla::python

NB_MODULE(_xylem, module) {
  namespace nb = nanobind;
  // Modules may live as long as the interpreter: what they need is not freed then.
  nb::set_leak_warnings(false);
  module.doc() = "Programs of HLO and StableHLO: see the package xylem.";
  xla::python::BindArrays(module);
  xla::python::BindModules(module);
  xla::python::BindPrograms(module);
  xla::python::BindBuilder(module);
}
