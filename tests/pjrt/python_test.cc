// SPDX-License-Identifier: Apache-2.0
// Callbacks and signals of an interpreter, which a few functions play here.
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/pjrt/plugin.h"
#include "xla/pjrt/abi_python.h"

// What stands for a PyObject.
struct _object {
  int references = 1;
  std::vector<_object*> items;
  std::string text;
  long long integer = 0;
  char* memory = nullptr;
  bool is_text = false;
};

namespace xla::pjrt::testing {
namespace {

using Values = std::vector<float>;
using Clock = std::chrono::steady_clock;

// One interpreter for all tests, as in a process.
struct Interpreter {
  _object none, array, dispatch, f32, exception_type;
  _object* raised = nullptr;                              // the error indicator
  std::vector<std::pair<int (*)(void*), void*>> pending;  // Py_AddPendingCall
  std::function<_object*(const std::vector<_object*>&)> on_dispatch;
  std::function<int()> on_signals = [] { return 0; };
  int locks = 0;
  std::mutex mutex;
  std::deque<_object> objects;

  static Interpreter& Get() {
    static auto* const interpreter = new Interpreter;
    return *interpreter;
  }
  // Objects live as long as the interpreter.
  static _object* Make() {
    Interpreter& interpreter = Get();
    const std::lock_guard<std::mutex> lock(interpreter.mutex);
    return &interpreter.objects.emplace_back();
  }
  static _object* Text(std::string text) {
    _object* const object = Make();
    object->text = std::move(text);
    object->is_text = true;
    return object;
  }
  // As the main thread does when it runs Python again; gives what is raised.
  _object* RunPending() {
    for (const auto& [function, data] : std::exchange(pending, {})) {
      if (function(data) == -1) return std::exchange(raised, nullptr);
    }
    return nullptr;
  }
};

const Xylem_PythonApi kApi = {
    .gil_ensure = [] { return ++Interpreter::Get().locks; },
    .gil_release = [](int) { --Interpreter::Get().locks; },
    .check_signals = [] { return Interpreter::Get().on_signals(); },
    .add_pending_call =
        [](int (*function)(void*), void* data) {
          Interpreter::Get().pending.emplace_back(function, data);
          return 0;
        },
    .err_fetch =
        [](_object** type, _object** value, _object** traceback) {
          *value = std::exchange(Interpreter::Get().raised, nullptr);
          *type = *value == nullptr ? nullptr : &Interpreter::Get().exception_type;
          *traceback = nullptr;
        },
    .err_restore = [](_object*, _object* value, _object*) { Interpreter::Get().raised = value; },
    .err_print = [] {},
    .inc_ref = [](_object* object) { ++object->references; },
    .dec_ref = [](_object* object) { --object->references; },
    .type = [](_object*) { return &Interpreter::Get().exception_type; },
    .traceback = [](_object*) -> _object* { return nullptr; },
    .call = [](_object* callable, _object* arguments) -> _object* {
      Interpreter& interpreter = Interpreter::Get();
      if (callable == &interpreter.dispatch) return interpreter.on_dispatch(arguments->items);
      _object* const array = Interpreter::Make();
      array->items = arguments->items;  // shape, element type, memory
      array->memory = arguments->items[2]->memory;
      return array;
    },
    .tuple_new =
        [](ptrdiff_t size) {
          _object* const tuple = Interpreter::Make();
          tuple->items.resize(static_cast<size_t>(size));
          return tuple;
        },
    .tuple_set =
        [](_object* tuple, ptrdiff_t i, _object* value) {
          tuple->items[static_cast<size_t>(i)] = value;
          return 0;
        },
    .integer =
        [](long long value) {
          _object* const integer = Interpreter::Make();
          integer->integer = value;
          return integer;
        },
    .bytes =
        [](const char* data, ptrdiff_t size) {
          _object* bytes = Interpreter::Text(std::string(data, static_cast<size_t>(size)));
          bytes->memory = bytes->text.data();
          return bytes;
        },
    .memory =
        [](char* data, ptrdiff_t, int) {
          _object* const memory = Interpreter::Make();
          memory->memory = data;
          return memory;
        },
    .text = [](_object* text, ptrdiff_t* size) -> const char* {
      if (!text->is_text) return nullptr;
      *size = static_cast<ptrdiff_t>(text->text.size());
      return text->text.c_str();
    },
};

const Xylem_Python_Extension& PythonExtension() {
  const PJRT_Extension_Base* extension = Api().extension_start;
  while (extension != nullptr && extension->type != kXylemPythonExtension) {
    extension = extension->next;
  }
  return *reinterpret_cast<const Xylem_Python_Extension*>(extension);
}

// The interpreter with the calling thread as its main thread.
Interpreter& Introduce() {
  Interpreter& interpreter = Interpreter::Get();
  interpreter.on_signals = [] { return 0; };
  interpreter.pending.clear();
  std::vector<_object*> dtypes(12);
  dtypes[11] = &interpreter.f32;
  auto args = New<Xylem_Python_Set_Args>();
  args.api = &kApi;
  args.api_size = sizeof(kApi);
  args.main_thread = static_cast<uint64_t>(pthread_self());
  args.none = &interpreter.none;
  args.array = &interpreter.array;
  args.dtypes = dtypes.data();
  args.num_dtypes = dtypes.size();
  args.dispatch = &interpreter.dispatch;
  EXPECT_CALL_OK(PythonExtension().set_python(&args));
  return interpreter;
}

std::string Callback(const std::string& target) {
  return R"(
module @callback {
  func.func public @main(%a: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.custom_call @)" +
         target + R"((%a) {api_version = 4 : i32, backend_config = {index = 7 : ui64}}
        : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
})";
}

constexpr std::string_view kForever = R"(
module @forever {
  func.func public @main(%a: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.while(%x = %a) : tensor<2xf32>
      cond {
        %c = stablehlo.constant dense<true> : tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %y = stablehlo.sine %x : tensor<2xf32>
        stablehlo.return %y : tensor<2xf32>
      }
    return %0 : tensor<2xf32>
  }
})";

constexpr std::string_view kCalledForever = R"(
module @called_forever {
  func.func public @main(%a: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.while(%x = %a) : tensor<2xf32>
      cond {
        %c = stablehlo.constant dense<true> : tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %y = stablehlo.custom_call @xylem_python_callback(%x)
            {api_version = 4 : i32, backend_config = {index = 7 : ui64}}
            : (tensor<2xf32>) -> tensor<2xf32>
        stablehlo.return %y : tensor<2xf32>
      }
    return %0 : tensor<2xf32>
  }
})";

float* Elements(_object* array) { return reinterpret_cast<float*>(array->memory); }

TEST(PjrtPythonTest, CallbacksRunOnTheCallingThread) {
  Plugin plugin;
  Interpreter& interpreter = Introduce();
  for (const bool in_place : {false, true}) {
    float* argument = nullptr;
    std::thread::id thread;
    interpreter.on_dispatch = [&](const std::vector<_object*>& parameters) {
      EXPECT_EQ(interpreter.locks, 1);
      EXPECT_EQ(parameters.size(), 4);
      EXPECT_EQ(parameters[0]->integer, 7);
      EXPECT_EQ(parameters[1]->integer, 1);
      EXPECT_EQ(parameters[2]->items[0]->items[0]->integer, 2);  // the shape
      EXPECT_EQ(parameters[2]->items[1], &interpreter.f32);
      argument = Elements(parameters[2]);
      for (int i = 0; i < 2; ++i) Elements(parameters[3])[i] = 10 * argument[i];
      thread = std::this_thread::get_id();
      return &interpreter.none;
    };
    PJRT_LoadedExecutable* program = plugin.Compile(
        Callback(in_place ? "xylem_python_buffer_callback" : "xylem_python_callback"));
    std::vector<PJRT_Buffer*> results(1);
    ASSERT_EQ(plugin.Run(program, {plugin.Floats({1, 2})}, &results), "OK");
    EXPECT_EQ(plugin.ToFloats(results[0]), (Values{10, 20}));
    EXPECT_EQ(thread, std::this_thread::get_id());
    EXPECT_EQ(interpreter.locks, 0);
  }
}

TEST(PjrtPythonTest, ErrorsOfCallbacksAreThoseOfTheCall) {
  Plugin plugin;
  Interpreter& interpreter = Introduce();
  interpreter.on_dispatch = [](const auto&) { return Interpreter::Text("no such value"); };
  PJRT_LoadedExecutable* program = plugin.Compile(Callback("xylem_python_callback"));
  std::vector<PJRT_Buffer*> results(1);
  const std::string error = plugin.Run(program, {plugin.Floats({1, 2})}, &results);
  EXPECT_NE(error.find("no such value"), std::string::npos) << error;
  EXPECT_TRUE(interpreter.pending.empty());
}

TEST(PjrtPythonTest, OtherExceptionsEndTheProgramAndAreRaisedAfterTheCall) {
  Plugin plugin;
  Interpreter& interpreter = Introduce();
  _object* const exception = Interpreter::Make();
  int calls = 0;
  interpreter.on_dispatch = [&](const std::vector<_object*>& parameters) {
    std::memcpy(Elements(parameters[3]), Elements(parameters[2]), 8);
    return ++calls < 3 ? &interpreter.none : exception;
  };
  PJRT_LoadedExecutable* program = plugin.Compile(kCalledForever);
  std::vector<PJRT_Buffer*> results(1);
  // The call succeeds, its results do not.
  const std::string error = plugin.Run(program, {plugin.Floats({1, 2})}, &results);
  EXPECT_NE(error.find("ends the program"), std::string::npos) << error;
  EXPECT_NE(results[0], nullptr);
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(interpreter.RunPending(), exception);
}

TEST(PjrtPythonTest, SignalsEndRunsOnTheMainThread) {
  Plugin plugin;
  Interpreter& interpreter = Introduce();
  interpreter.on_dispatch = [&](const std::vector<_object*>& parameters) {
    std::memcpy(Elements(parameters[3]), Elements(parameters[2]), 8);
    return &interpreter.none;
  };
  // Signals end compilations, too.
  PJRT_LoadedExecutable* program = plugin.Compile(kCalledForever);
  _object* const exception = Interpreter::Make();
  const Clock::time_point signal = Clock::now() + std::chrono::milliseconds(200);
  interpreter.on_signals = [&] {
    EXPECT_EQ(interpreter.locks, 1);
    if (Clock::now() < signal) return 0;
    interpreter.raised = exception;
    interpreter.on_signals = [] { return 0; };
    return -1;
  };
  std::vector<PJRT_Buffer*> results(1);
  const std::string error = plugin.Run(program, {plugin.Floats({1, 2})}, &results);
  EXPECT_NE(error.find("cancelled"), std::string::npos) << error;
  EXPECT_LT(Clock::now() - signal, std::chrono::seconds(2));
  EXPECT_EQ(interpreter.RunPending(), exception);
}

TEST(PjrtPythonTest, SignalsEndWaitsAndWhatTheyWaitFor) {
  Plugin plugin;
  Interpreter& interpreter = Introduce();
  // Signals end compilations, too.
  PJRT_LoadedExecutable* program = plugin.Compile(kForever);
  _object* const exception = Interpreter::Make();
  const Clock::time_point signal = Clock::now() + std::chrono::milliseconds(100);
  interpreter.on_signals = [&] {
    if (Clock::now() < signal) return 0;
    interpreter.raised = exception;
    interpreter.on_signals = [] { return 0; };
    return -1;
  };
  std::vector<PJRT_Buffer*> results(1);
  const std::string error = plugin.Run(program, {plugin.Floats({1, 2})}, &results);
  EXPECT_NE(error.find("a signal ended the wait"), std::string::npos) << error;
  EXPECT_EQ(interpreter.RunPending(), exception);
  // It goes on for a while, and then leaves its device to others.
  PJRT_LoadedExecutable* add = plugin.Compile(kAdd);
  PJRT_Buffer* const x = plugin.Floats({1, 2, 3, 4});
  ASSERT_EQ(plugin.Run(add, {x, x}, &results), "OK");
  EXPECT_EQ(plugin.ToFloats(results[0]), (Values{2, 4, 6, 8}));
  EXPECT_LT(Clock::now() - signal, std::chrono::seconds(10));
}

TEST(PjrtPythonTest, RunsInFlightEndAtOnceWithoutGrace) {
  Plugin plugin;
  PJRT_LoadedExecutable* program = plugin.Compile(kForever);
  PJRT_Buffer* const argument = plugin.Floats({1, 2});
  std::vector<PJRT_Buffer*> results(1);
  std::string error;
  std::atomic<bool> ended{false};
  std::thread runs([&] {
    error = plugin.Run(program, {argument}, &results);
    ended = true;
  });
  auto end = New<Xylem_EndRuns_Args>();
  end.spares_effects = true;
  while (!ended) {  // it may not have begun
    EXPECT_CALL_OK(PythonExtension().end_runs(&end));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  runs.join();
  EXPECT_NE(error.find("cancelled"), std::string::npos) << error;
  end.grace_seconds = -1;
  EXPECT_CALL_ERROR(PythonExtension().end_runs(&end), "a grace of -1 seconds");
}

TEST(PjrtPythonTest, WantsItsOwnTableOfFunctions) {
  auto args = New<Xylem_Python_Set_Args>();
  EXPECT_CALL_ERROR(PythonExtension().set_python(&args), "api");
  _object object;
  _object* const dtypes[] = {nullptr};
  args.api = &kApi;
  args.api_size = sizeof(kApi) - 8;
  args.none = args.array = args.dispatch = &object;
  args.dtypes = dtypes;
  EXPECT_CALL_ERROR(PythonExtension().set_python(&args), "of Python's functions");
}

}  // namespace
}  // namespace xla::pjrt::testing
