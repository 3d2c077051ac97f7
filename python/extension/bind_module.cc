// SPDX-License-Identifier: Apache-2.0
// Modules, computations, instructions and shapes.
#include "python/extension/common.h"

namespace xla::python {
namespace {

nb::object HtmlOf(nb::handle object, const char* function) {
  return nb::module_::import_("xylem._html").attr(function)(object);
}

nb::tuple DimensionsOf(const ShapeInfo& shape) {
  return nb::steal<nb::tuple>(PySequence_Tuple(nb::cast(shape.dimensions).ptr()));
}

void BindShape(nb::module_& module) {
  nb::class_<ShapeInfo>(module, "Shape", "The type and sizes of a value: f32[2,3], or a tuple.")
      .def(
          "__init__",
          [](ShapeInfo* self, const std::string& text) {
            new (self) ShapeInfo(Take(ParseShapeText(text)));
          },
          nb::arg("text"))
      .def_prop_ro("is_tuple", [](const ShapeInfo& s) { return s.kind == ShapeInfo::Kind::kTuple; })
      .def_prop_ro("is_array", [](const ShapeInfo& s) { return s.kind == ShapeInfo::Kind::kArray; })
      .def_prop_ro("is_token", [](const ShapeInfo& s) { return s.kind == ShapeInfo::Kind::kToken; })
      .def_prop_ro(
          "element_type", [](const ShapeInfo& s) { return ElementTypeName(s.type); },
          "Its name in HLO: f32, bf16, pred.")
      .def_prop_ro(
          "dtype",
          [](const ShapeInfo& s) {
            PyObject* const dtype = DtypeOf(s.type);
            if (dtype == nullptr) throw nb::python_error();
            return nb::borrow(dtype);
          },
          "The dtype of NumPy.")
      .def_prop_ro("dimensions", &DimensionsOf)
      .def_prop_ro("dynamic_dimensions",
                   [](const ShapeInfo& s) {
                     nb::list result;
                     for (const bool dynamic : s.dynamic_dimensions) result.append(dynamic);
                     return nb::tuple(result);
                   })
      .def_prop_ro("minor_to_major",
                   [](const ShapeInfo& s) { return nb::tuple(nb::cast(s.minor_to_major)); })
      .def_prop_ro(
          "elements", [](const ShapeInfo& s) { return nb::tuple(nb::cast(s.elements)); },
          "The shapes of a tuple's elements.")
      .def("__str__", [](const ShapeInfo& s) { return s.text; })
      .def("__repr__", [](const ShapeInfo& s) { return "Shape('" + s.text + "')"; })
      .def("__eq__",
           [](const ShapeInfo& s, nb::handle other) {
             return nb::isinstance<ShapeInfo>(other) && s.text == nb::cast<ShapeInfo>(other).text;
           })
      .def("__hash__", [](const ShapeInfo& s) { return nb::hash(nb::str(s.text.c_str())); })
      .def("__reduce__", [](nb::handle self) {
        return nb::make_tuple(self.type(), nb::make_tuple(nb::str(self)));
      });
}

// Equal and hashed by what they stand for.
template <typename Part>
void BindIdentity(nb::class_<Part>& part) {
  part.def("__eq__",
           [](const Part& self, nb::handle other) {
             return nb::isinstance<Part>(other) && self.id() == nb::cast<const Part&>(other).id();
           })
      .def("__hash__", [](const Part& self) { return reinterpret_cast<intptr_t>(self.id()); })
      .def_prop_ro("name", [](const Part& self) { return self.name(); })
      .def("__str__", &Part::ToString)
      .def_prop_ro("module", [](const Part& self) { return self.module(); });
}

void BindParts(nb::module_& module) {
  nb::class_<Computation> computation(module, "HloComputation", "A function of a module.");
  nb::class_<Instruction> instruction(module, "HloInstruction", "An operation of a computation.");
  BindIdentity(computation);
  computation.def_prop_ro("is_entry", &Computation::is_entry)
      .def_prop_ro("instructions", &Computation::instructions, "In order: operands before users.")
      .def_prop_ro("parameters", &Computation::parameters)
      .def_prop_ro("root", &Computation::root)
      .def("__len__", [](const Computation& c) { return c.instructions().size(); })
      .def("__iter__", [](const Computation& c) { return nb::iter(nb::cast(c.instructions())); })
      .def("_repr_html_", [](nb::handle self) { return HtmlOf(self, "computation"); })
      .def("__repr__", [](const Computation& c) { return "<HloComputation " + c.name() + ">"; });
  BindIdentity(instruction);
  instruction.def_prop_ro("opcode", &Instruction::opcode, "Its name in HLO text.")
      .def_prop_ro("shape", &Instruction::shape)
      .def_prop_ro("operands", &Instruction::operands)
      .def_prop_ro("users", &Instruction::users)
      .def_prop_ro("computation", &Instruction::computation)
      .def_prop_ro("called_computations", &Instruction::called_computations)
      .def_prop_ro("is_root", &Instruction::is_root)
      .def_prop_ro(
          "parameter_number",
          [](const Instruction& i) -> nb::object {
            const int64_t number = i.parameter_number();
            return number < 0 ? nb::none() : nb::cast(number);
          },
          "None unless it is a parameter.")
      .def_prop_ro("metadata", &Instruction::metadata,
                   "op_name, source_file, source_line, ...: what the program says.")
      .def_prop_ro("attributes", &Instruction::attributes, "As HLO text: dimensions={0}.")
      .def_prop_ro("sharding", &Instruction::sharding, "As HLO text; empty for none.")
      .def_prop_ro(
          "literal",
          [](nb::handle self) -> nb::object {
            const auto& instruction = nb::cast<const Instruction&>(self);
            const void* const data = instruction.constant();
            return data == nullptr ? nb::none() : BorrowedArray(instruction.shape(), data, self);
          },
          "The array of a constant, not copied; None for other instructions.")
      .def("__repr__", [](const Instruction& i) {
        return "<HloInstruction " + i.name() + " = " + i.shape().text + " " + i.opcode() + ">";
      });
}

nb::object Print(const Module& self, const PrintOptions& options) {
  const std::string text = TakeUnlocked([&] { return self.Print(options); });
  if (options.to == "hlo" || options.to == "stablehlo") return nb::str(text.data(), text.size());
  return nb::bytes(text.data(), text.size());
}

// As a proto, which has no fields for devices; else as text.
nb::tuple Reduce(const Module& self) {
  const bool as_proto = self.replica_count() == 1 && self.num_partitions() == 1;
  PrintOptions options;
  options.to = as_proto ? "hlo-proto" : "hlo";
  options.large_constants = true;
  const std::string bytes = TakeUnlocked([&] { return self.Print(options); });
  return nb::make_tuple(nb::module_::import_("xylem._programs").attr("restored"),
                        nb::make_tuple(nb::bytes(bytes.data(), bytes.size())));
}

ModulePtr LoadBytes(const nb::bytes& bytes, const std::string& name, const std::string& function,
                    bool verify) {
  const std::string_view view(bytes.c_str(), bytes.size());
  return TakeUnlocked([&] { return Module::FromBytes(view, name, function, verify); });
}

}  // namespace

void BindModules(nb::module_& module) {
  BindShape(module);
  BindParts(module);
  // Pointers to const modules are handed out: Python cannot change them either way.
  nb::class_<Module>(module, "HloModule", nb::dynamic_attr(),
                     "A program: immutable, so that threads may share it.")
      .def_prop_ro("name", [](const Module& m) { return m.name(); })
      .def_prop_ro("instruction_count", &Module::instruction_count)
      .def_prop_ro("parameter_shapes", &Module::parameter_shapes)
      .def_prop_ro("result_shape", &Module::result_shape)
      .def_prop_ro("replica_count", &Module::replica_count)
      .def_prop_ro("num_partitions", &Module::num_partitions)
      .def_prop_ro(
          "computations", [](ModulePtr self) { return self->computations(self); },
          "In order: callees before callers.")
      .def_prop_ro("entry", [](ModulePtr self) { return self->entry(self); })
      .def(
          "_print",
          [](const Module& self, const std::string& to, const std::string& options,
             bool large_constants, bool operand_shapes, bool metadata, const std::string& version) {
            return Print(self, {to, options, large_constants, operand_shapes, metadata, version});
          })
      .def(
          "verify", [](const Module& self) { TakeUnlocked([&] { return self.Verify(); }); },
          "Raises what is wrong with the module; every module that was loaded with verify=True is "
          "well formed.")
      .def("_run_passes",
           [](const Module& self, const std::string& passes, bool verify) {
             return TakeUnlocked([&] { return self.RunPasses(passes, verify); });
           })
      .def("__eq__",
           [](const Module& self, nb::handle other) {
             return nb::isinstance<Module>(other) && self.Equal(nb::cast<const Module&>(other));
           })
      .def("__hash__", [](const Module& self) { return static_cast<intptr_t>(self.Hash() >> 1); })
      .def("__copy__", [](nb::object self) { return self; })
      .def("__deepcopy__", [](nb::object self, nb::handle) { return self; })
      .def("__reduce__", &Reduce)
      .def("__str__", [](const Module& self) { return Print(self, {}); })
      .def("_repr_html_", [](nb::handle self) { return HtmlOf(self, "module"); })
      .def("__repr__", [](const Module& self) {
        return "<HloModule " + self.name() + ": " + std::to_string(self.instruction_count()) +
               " instructions>";
      });
  module.def("_loads", &LoadBytes, nb::arg("data"), nb::arg("name"), nb::arg("function"),
             nb::arg("verify"));
  module.def(
      "_load",
      [](const std::string& path, const std::string& function, bool verify) {
        return TakeUnlocked([&] { return Module::FromFile(path, function, verify); });
      },
      nb::arg("path"), nb::arg("function"), nb::arg("verify"));
  module.def(
      "passes",
      [] {
        nb::dict result;
        for (const PassInfo& pass : Passes()) result[pass.name.c_str()] = pass.summary;
        return result;
      },
      "The passes by name, with a line on each; 'cpu' stands for all of the CPU compiler.");
}

}  // namespace xla::python
