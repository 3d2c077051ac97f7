// SPDX-License-Identifier: Apache-2.0
// An extension of the PJRT interface for the Python package: python/jax_xylem/abi.py repeats it.
#ifndef XLA_PJRT_ABI_PYTHON_H_
#define XLA_PJRT_ABI_PYTHON_H_

#include <cstddef>
#include <cstdint>

#include "xla/pjrt/c/pjrt_c_api_base.h"

// Far beyond the numbers of the interface.
inline constexpr auto kXylemPythonExtension = static_cast<PJRT_Extension_Type>(0x58796c65);

struct _object;  // PyObject

// Functions of Python's stable ABI.
struct Xylem_PythonApi {
  int (*gil_ensure)();                                                      // PyGILState_Ensure
  void (*gil_release)(int state);                                           // PyGILState_Release
  int (*check_signals)();                                                   // PyErr_CheckSignals
  int (*add_pending_call)(int (*function)(void*), void*);                   // Py_AddPendingCall
  void (*err_fetch)(_object** type, _object** value, _object** traceback);  // PyErr_Fetch
  void (*err_restore)(_object* type, _object* value, _object* traceback);   // PyErr_Restore
  void (*err_print)();                                                      // PyErr_Print
  void (*inc_ref)(_object*);                                                // Py_IncRef
  void (*dec_ref)(_object*);                                                // Py_DecRef
  _object* (*type)(_object*);                                               // PyObject_Type
  _object* (*traceback)(_object* exception);                      // PyException_GetTraceback
  _object* (*call)(_object* callable, _object* arguments);        // PyObject_CallObject
  _object* (*tuple_new)(ptrdiff_t size);                          // PyTuple_New
  int (*tuple_set)(_object* tuple, ptrdiff_t i, _object* value);  // PyTuple_SetItem
  _object* (*integer)(long long value);                           // PyLong_FromLongLong
  _object* (*bytes)(const char* data, ptrdiff_t size);            // PyBytes_FromStringAndSize
  _object* (*memory)(char* data, ptrdiff_t size, int flags);      // PyMemoryView_FromMemory
  const char* (*text)(_object* text, ptrdiff_t* size);            // PyUnicode_AsUTF8AndSize
};

// Objects to which the plugin keeps references.
struct Xylem_Python_Set_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const Xylem_PythonApi* api;
  size_t api_size;
  uint64_t main_thread;  // threading.main_thread().ident, a pthread_t
  _object* none;
  _object* array;          // numpy.ndarray
  _object* const* dtypes;  // by number of the element type; null if there is none
  size_t num_dtypes;
  // (index, number of arguments, arrays of arguments and results; None for tokens) -> None on
  // success, a text that describes an error, or an exception to raise in the main thread.
  _object* dispatch;
};

struct Xylem_EndRuns_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  // How long each run that is in flight may still take, from now on or, if that is later, from its
  // start.
  double grace_seconds;
  // Spares runs with effects beyond their results.
  bool spares_effects;
  // Ends compilations as well, without a grace period.
  bool ends_compilations;
  // The interpreter is shutting down: from now on callbacks on threads other than its main thread
  // fail, because they could not take its lock any more.
  bool is_last;
};

struct Xylem_Python_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*set_python)(Xylem_Python_Set_Args* args);
  PJRT_Error* (*end_runs)(Xylem_EndRuns_Args* args);
};

#endif  // XLA_PJRT_ABI_PYTHON_H_
