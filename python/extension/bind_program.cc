// SPDX-License-Identifier: Apache-2.0
// Compiled programs, and calls of them.
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "python/extension/common.h"

namespace xla::python {
namespace {

// What a call needs, made once.
struct PyProgram {
  explicit PyProgram(std::shared_ptr<const Program> compiled) : program(std::move(compiled)) {
    for (const ShapeInfo& parameter : program->parameters())
      is_flat &= parameter.kind == ShapeInfo::Kind::kArray;
  }
  std::shared_ptr<const Program> program;
  bool is_flat = true;  // a leaf a parameter
};

// The arguments of one run on one device, and what keeps their memory.
struct Arguments {
  std::vector<ArgumentArray> arrays;
  std::vector<std::vector<int64_t>> dimensions;  // of dynamic ones
  nb::list keep;
};

void SetArgumentCount(const PyProgram& self, size_t given) {
  const size_t expected = self.program->parameters().size();
  SetError(
      {3, "the program " + self.program->module()->name() + " takes " + std::to_string(expected) +
              (expected == 1 ? " argument, not " : " arguments, not ") + std::to_string(given)});
}

void Flatten(const ShapeInfo& shape, nb::handle value, size_t position, const Program& program,
             Arguments& out) {
  if (shape.kind == ShapeInfo::Kind::kTuple) {
    if (!PyTuple_Check(value.ptr()) && !PyList_Check(value.ptr())) {
      SetError({3, "argument " + std::to_string(position) + " is a tuple, " + shape.text});
      throw nb::python_error();
    }
    nb::object items = nb::steal(PySequence_Tuple(value.ptr()));
    const nb::tuple elements = nb::cast<nb::tuple>(items);
    if (elements.size() != shape.elements.size()) {
      SetError({3, "argument " + std::to_string(position) + " is a tuple of " +
                       std::to_string(shape.elements.size()) + ", not of " +
                       std::to_string(elements.size()) + ": " + shape.text});
      throw nb::python_error();
    }
    out.keep.append(items);
    for (size_t i = 0; i < elements.size(); ++i)
      Flatten(shape.elements[i], elements[i], position, program, out);
    return;
  }
  const size_t leaf = out.arrays.size();
  if (shape.kind != ShapeInfo::Kind::kArray) {
    out.arrays.push_back({});  // a token
    return;
  }
  out.arrays.push_back(ArgumentOf(program.argument_leaves()[leaf], position, value.ptr(), out.keep,
                                  out.dimensions[leaf % program.argument_leaves().size()]));
}

// Appends the arguments of a device.
void Append(const PyProgram& self, const nb::tuple& given, Arguments& out) {
  const Program& program = *self.program;
  if (given.size() != program.parameters().size()) {
    SetArgumentCount(self, given.size());
    throw nb::python_error();
  }
  const std::vector<Leaf>& leaves = program.argument_leaves();
  out.dimensions.resize(leaves.size());
  out.arrays.reserve(leaves.size());
  if (self.is_flat) {
    for (size_t i = 0; i < leaves.size(); ++i) {
      out.arrays.push_back(ArgumentOf(leaves[i], i, given[i].ptr(), out.keep, out.dimensions[i]));
    }
    return;
  }
  for (size_t i = 0; i < given.size(); ++i)
    Flatten(program.parameters()[i], given[i], i, program, out);
}

// The value of the shape from its leaves, whose memory is taken over from `next` on.
nb::object Unflatten(const ShapeInfo& shape, const Program& program, ResultArray* leaves,
                     size_t& next) {
  if (shape.kind == ShapeInfo::Kind::kTuple) {
    nb::list elements;
    for (const ShapeInfo& element : shape.elements)
      elements.append(Unflatten(element, program, leaves, next));
    return nb::tuple(elements);
  }
  const size_t leaf = next++;
  if (shape.kind != ShapeInfo::Kind::kArray) return nb::none();
  PyObject* const array = ArrayOf(program.result_leaves()[leaf], leaves[leaf]);
  leaves[leaf].data = nullptr;
  if (array == nullptr) throw nb::python_error();
  return nb::steal(array);
}

// Frees what was not taken.
struct Results {
  explicit Results(size_t count) : arrays(count) {}
  ~Results() {
    for (const ResultArray& array : arrays) {
      if (array.data != nullptr) FreeArray(array.data);
    }
  }
  Results(const Results&) = delete;
  Results& operator=(const Results&) = delete;
  std::vector<ResultArray> arrays;
};

// Runs without the lock. Throws python_error.
void RunUnlocked(const Program& program, const Arguments& arguments, Results& results,
                 RunCounts* counts) {
  std::optional<Error> error;
  bool raised;
  {
    SignalScope scope;
    const InterruptCheck check = scope.check();
    auto ran = program.Run(arguments.arrays, results.arrays, check, counts);
    raised = scope.was_raised();
    if (!ran.ok()) error = ran.error();
  }
  if (raised) {
    if (PyErr_Occurred()) throw nb::python_error();
  }
  if (error.has_value()) {
    SetError(*error);
    throw nb::python_error();
  }
}

nb::object Call(const PyProgram& self, const nb::tuple& given, RunCounts* counts) {
  const Program& program = *self.program;
  Arguments arguments;
  const int64_t devices = program.devices();
  Append(self, given, arguments);
  // All devices get the same.
  const size_t of_device = arguments.arrays.size();
  for (int64_t d = 1; d < devices; ++d) {
    for (size_t i = 0; i < of_device; ++i) arguments.arrays.push_back(arguments.arrays[i]);
  }
  const int64_t count = program.result_devices();
  Results results(program.result_leaves().size() * static_cast<size_t>(count));
  RunUnlocked(program, arguments, results, counts);
  size_t next = 0;
  if (count == 1) return Unflatten(program.result(), program, results.arrays.data(), next);
  nb::list list;
  for (int64_t d = 0; d < count; ++d) {
    next = 0;
    list.append(Unflatten(program.result(), program,
                          &results.arrays[static_cast<size_t>(d) * program.result_leaves().size()],
                          next));
  }
  return list;
}

// A tuple of arguments for each device.
nb::object CallDevices(const PyProgram& self, const nb::sequence& given) {
  const Program& program = *self.program;
  const auto devices = static_cast<size_t>(program.devices());
  if (nb::len(given) != devices) {
    SetError({3, "the program runs on " + std::to_string(devices) +
                     " devices, but there are arguments of " + std::to_string(nb::len(given))});
    throw nb::python_error();
  }
  const size_t leaves = program.argument_leaves().size();
  std::vector<Arguments> of_devices(devices);
  Arguments all;
  all.arrays.reserve(devices * leaves);
  size_t d = 0;
  for (nb::handle arguments : given) {
    Append(self, nb::tuple(nb::borrow(arguments)), of_devices[d]);
    all.arrays.insert(all.arrays.end(), of_devices[d].arrays.begin(), of_devices[d].arrays.end());
    ++d;
  }
  Results results(program.result_leaves().size() * static_cast<size_t>(program.result_devices()));
  RunUnlocked(program, all, results, nullptr);
  nb::list list;
  for (int64_t r = 0; r < program.result_devices(); ++r) {
    size_t next = 0;
    list.append(Unflatten(
        program.result(), program,
        results.arrays.data() + static_cast<size_t>(r) * program.result_leaves().size(), next));
  }
  return list;
}

nb::object Profile(const PyProgram& self, const nb::args& given) {
  Arguments arguments;
  Append(self, given, arguments);
  std::optional<Result<std::vector<ProfileRow>>> rows;
  {
    SignalScope scope;
    rows = self.program->Profile(arguments.arrays, scope.check());
  }
  if (PyErr_Occurred()) throw nb::python_error();
  nb::list result;
  for (const ProfileRow& row : Take(*std::move(rows))) {
    nb::dict entry;
    entry["name"] = row.name;
    entry["text"] = row.text;
    entry["depth"] = row.depth;
    entry["runs"] = row.runs;
    entry["seconds"] = row.seconds;
    entry["self_seconds"] = row.self_seconds;
    entry["bytes"] = row.bytes;
    entry["operations"] = row.operations;
    result.append(entry);
  }
  return result;
}

nb::tuple CallCounted(const PyProgram& self, const nb::args& given) {
  RunCounts counts;
  nb::object result = Call(self, given, &counts);
  nb::dict told;
  told["peak_bytes"] = counts.peak_bytes;
  told["instructions"] = counts.instructions;
  told["copies"] = counts.copies;
  told["copied_bytes"] = counts.copied_bytes;
  return nb::make_tuple(result, told);
}

// Compiles on a thread of its own where a signal may end it, as LLVM asks nobody.
std::shared_ptr<PyProgram> Compile(const ModulePtr& module, const CompileOptions& options) {
  std::optional<Result<std::shared_ptr<const Program>>> result;
  bool raised = false;
  {
    SignalScope scope;
    std::atomic<bool> cancel{false};
    if (!scope.is_main_thread()) {
      result = Program::Compile(module, options, &cancel);
    } else {
      std::mutex mutex;
      std::condition_variable ended;
      std::thread compiler([&] {
        auto compiled = Program::Compile(module, options, &cancel);
        const std::lock_guard lock(mutex);
        result = std::move(compiled);
        ended.notify_one();
      });
      std::unique_lock lock(mutex);
      while (!result.has_value()) {
        ended.wait_for(lock, std::chrono::milliseconds(50));
        if (result.has_value() || raised) continue;
        lock.unlock();
        raised = scope.Ask();
        if (raised) cancel.store(true);
        lock.lock();
      }
      lock.unlock();
      compiler.join();
    }
  }
  if (raised) throw nb::python_error();
  return std::make_shared<PyProgram>(Take(*std::move(result)));
}

}  // namespace

void BindPrograms(nb::module_& module) {
  nb::class_<PyProgram>(module, "Program", nb::dynamic_attr(),
                        "A compiled program: call it with arrays. Threads may share it.")
      .def("__call__", [](const PyProgram& self,
                          const nb::args& arguments) { return Call(self, arguments, nullptr); })
      .def(
          "run",
          [](const PyProgram& self, const nb::args& arguments) {
            return Call(self, arguments, nullptr);
          },
          "Runs the program. On several devices all get the same arguments, and there is a list of "
          "results.")
      .def("run_on_devices", &CallDevices, nb::arg("arguments"),
           "Runs the program with arguments for each device: a sequence of sequences.")
      .def("run_counted", &CallCounted,
           "The result, and what the run did: peak_bytes, instructions, copies and copied_bytes of "
           "arguments and results.")
      .def("profile", &Profile,
           "A dictionary for each instruction of the second of two runs, with its seconds; what a "
           "loop runs follows it, one deeper.")
      .def_prop_ro("module", [](const PyProgram& p) { return p.program->module(); })
      .def_prop_ro(
          "optimized",
          [](const PyProgram& p) {
            return TakeUnlocked([&] { return p.program->OptimizedModule(); });
          },
          "The module as it runs, after all passes.")
      .def_prop_ro("backend", [](const PyProgram& p) { return p.program->backend(); })
      .def_prop_ro("device_count", [](const PyProgram& p) { return p.program->devices(); })
      .def_prop_ro(
          "generated_bytes", [](const PyProgram& p) { return p.program->generated_bytes(); },
          "Machine code and the constants that it reads.")
      .def_prop_ro(
          "scratch_bytes", [](const PyProgram& p) { return p.program->scratch_bytes(); },
          "Memory of a run besides arguments and results.")
      .def("__repr__", [](const PyProgram& p) {
        return "<Program " + p.program->module()->name() + " (" + p.program->backend() + ")>";
      });
  module.def(
      "_compile",
      [](const ModulePtr& module, const std::string& backend, int threads, int64_t replicas,
         int64_t partitions, bool flush_subnormals, const std::string& cache,
         const std::vector<std::string>& disabled_passes,
         const std::vector<std::string>& custom_calls, double timeout, int64_t memory_limit) {
        return Compile(module, {backend, threads, replicas, partitions, flush_subnormals, cache,
                                disabled_passes, custom_calls, timeout, memory_limit});
      });
}

}  // namespace xla::python
