// SPDX-License-Identifier: Apache-2.0
// The interpreter as the plugin uses it.
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

// Whether callbacks may run on this thread: on all until the interpreter leaves.
bool MayCallPython(const PythonState& state);

// Null if the interpreter is not known.
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

// An exception, as PyErr_Fetch gives it.
struct PythonError {
  _object* type = nullptr;
  _object* value = nullptr;
  _object* traceback = nullptr;
};

// Raises it in the main thread when this runs Python again. Takes the references over; under the
// interpreter's lock.
void RaiseInMainThread(const PythonState& state, const PythonError& error);

}  // namespace xla::pjrt

#endif  // XLA_PJRT_PYTHON_STATE_H_
