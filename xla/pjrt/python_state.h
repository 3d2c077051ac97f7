// SPDX-License-Identifier: Apache-2.0
// The plugin's interface to the interpreter.
#ifndef XLA_PJRT_PYTHON_STATE_H_
#define XLA_PJRT_PYTHON_STATE_H_

#include <pthread.h>

#include <vector>

#include "xla/pjrt/abi_python.h"

namespace xla::pjrt {

struct PythonState {
  Xylem_PythonApi api;
  pthread_t main_thread;
  _object* none;
  _object* array;
  _object* dispatch;
  std::vector<_object*> dtypes;
  const PythonState* former = nullptr;  // threads may still use it
};

// Whether callbacks may run on this thread: on all threads until the interpreter shuts down.
bool MayCallPython(const PythonState& state);

// Returns null if the interpreter is unknown.
const PythonState* Python();

// Holds the interpreter's lock.
class PythonLock {
 public:
  explicit PythonLock(const PythonState& state) : state_(state), held_(state.api.gil_ensure()) {}
  ~PythonLock() { state_.api.gil_release(held_); }
  PythonLock(const PythonLock&) = delete;
  PythonLock& operator=(const PythonLock&) = delete;

 private:
  const PythonState& state_;
  const int held_;
};

// An exception, as PyErr_Fetch returns it.
struct PythonError {
  _object* type = nullptr;
  _object* value = nullptr;
  _object* traceback = nullptr;
};

// Raises the error in the main thread when it runs Python again. Takes over the references; needs
// the interpreter's lock.
void RaiseInMainThread(const PythonState& state, const PythonError& error);

}  // namespace xla::pjrt

#endif  // XLA_PJRT_PYTHON_STATE_H_
