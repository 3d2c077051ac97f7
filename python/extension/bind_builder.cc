// SPDX-License-Identifier: Apache-2.0
// The builder: arguments of Python as values, whatever they are; python/native finds what they fit.
#include "python/extension/common.h"

namespace xla::python {
namespace {

constexpr int kMostNested = 16;

// `keep` holds what values point to until the call.
Value ValueOf(nb::handle object, nb::list& keep, int depth = 0);

bool ReadArray(nb::handle object, nb::list& keep, Value& value) {
  // Without NumPy there are no arrays; programs can be built without it.
  nb::object made = nb::module_::import_("xylem._arrays").attr("as_constant")(object);
  if (made.is_none()) return false;
  if (!ContiguousArray(made.ptr(), value.shape, value.data)) return false;
  value.kind = Value::Kind::kArray;
  keep.append(made);
  return true;
}

bool ReadNumber(nb::handle object, Value& value) {
  if (PyBool_Check(object.ptr())) {
    value.kind = Value::Kind::kBool;
    value.integer = object.is(nb::handle(Py_True)) ? 1 : 0;
  } else if (PyLong_Check(object.ptr())) {
    value.kind = Value::Kind::kInteger;
    value.integer = PyLong_AsLongLong(object.ptr());
    if (value.integer == -1 && PyErr_Occurred()) throw nb::python_error();
  } else if (PyFloat_Check(object.ptr())) {
    value.kind = Value::Kind::kNumber;
    value.number = PyFloat_AsDouble(object.ptr());
  } else if (PyComplex_Check(object.ptr())) {
    value.kind = Value::Kind::kNumber;
    value.is_complex = true;
    value.number = PyComplex_RealAsDouble(object.ptr());
    value.imaginary = PyComplex_ImagAsDouble(object.ptr());
  } else {
    return false;
  }
  return true;
}

Value ValueOf(nb::handle object, nb::list& keep, int depth) {
  Value value;
  if (object.is_none()) return value;
  if (depth > kMostNested) {
    PyErr_SetString(PyExc_ValueError, "the argument is nested too deeply");
    throw nb::python_error();
  }
  if (ReadNumber(object, value)) return value;
  if (PyUnicode_Check(object.ptr())) {
    value.kind = Value::Kind::kText;
    value.text = nb::cast<std::string>(object);
  } else if (nb::isinstance<Op>(object)) {
    value.kind = Value::Kind::kOp;
    value.op = nb::cast<const Op&>(object);
  } else if (nb::isinstance<Module>(object)) {
    value.kind = Value::Kind::kModule;
    value.module = nb::cast<ModulePtr>(object);
  } else if (nb::isinstance<ShapeInfo>(object)) {
    value.kind = Value::Kind::kShape;
    value.shape = nb::cast<const ShapeInfo&>(object);
  } else if (PyDict_Check(object.ptr())) {
    value.kind = Value::Kind::kDict;
    for (const auto& [key, element] : nb::cast<nb::dict>(object)) {
      value.keys.push_back(nb::cast<std::string>(key));
      value.list.push_back(ValueOf(element, keep, depth + 1));
    }
  } else if (PyTuple_Check(object.ptr()) || PyList_Check(object.ptr()) ||
             PyRange_Check(object.ptr())) {
    value.kind = Value::Kind::kList;
    for (nb::handle element : nb::iter(object))
      value.list.push_back(ValueOf(element, keep, depth + 1));
  } else if (!ReadArray(object, keep, value)) {
    const nb::object type = nb::borrow(reinterpret_cast<PyObject*>(Py_TYPE(object.ptr())));
    SetError({3, "the builder takes no " + nb::cast<std::string>(type.attr("__name__"))});
    throw nb::python_error();
  }
  return value;
}

Op CallOperation(const std::string& operation, const std::shared_ptr<Builder>& builder,
                 const std::vector<nb::handle>& positional, nb::handle named) {
  nb::list keep;
  std::vector<Value> values;
  for (nb::handle argument : positional) values.push_back(ValueOf(argument, keep));
  std::vector<std::pair<std::string, Value>> by_name;
  if (named.is_valid()) {
    for (const auto& [name, argument] : nb::cast<nb::dict>(named))
      by_name.emplace_back(nb::cast<std::string>(name), ValueOf(argument, keep));
  }
  return Take(Builder::Call(operation, builder, values, by_name));
}

Op ElementOf(nb::handle tuple, int64_t index) {
  const nb::object number = nb::cast(index);
  return CallOperation("get_tuple_element", nullptr, {tuple, number}, {});
}

void BindOperators(nb::class_<Op>& op) {
  struct Operator {
    const char *method, *reflected, *operation;
  };
  static constexpr Operator kBinary[] = {
      {"__add__", "__radd__", "add"},      {"__sub__", "__rsub__", "sub"},
      {"__mul__", "__rmul__", "mul"},      {"__truediv__", "__rtruediv__", "div"},
      {"__mod__", "__rmod__", "rem"},      {"__pow__", "__rpow__", "pow"},
      {"__and__", "__rand__", "and_"},     {"__or__", "__ror__", "or_"},
      {"__xor__", "__rxor__", "xor"},      {"__lshift__", "__rlshift__", "shift_left"},
      {"__lt__", nullptr, "lt"},           {"__le__", nullptr, "le"},
      {"__gt__", nullptr, "gt"},           {"__ge__", nullptr, "ge"},
      {"__matmul__", "__rmatmul__", "dot"}};
  for (const Operator& entry : kBinary) {
    const char* const operation = entry.operation;
    op.def(entry.method, [operation](nb::handle self, nb::handle other) {
      return CallOperation(operation, nullptr, {self, other}, {});
    });
    if (entry.reflected == nullptr) continue;
    op.def(entry.reflected, [operation](nb::handle self, nb::handle other) {
      return CallOperation(operation, nullptr, {other, self}, {});
    });
  }
  for (const auto& [method, operation] :
       {std::pair("__neg__", "neg"), std::pair("__invert__", "not_"),
        std::pair("__abs__", "abs")}) {
    const char* const called = operation;
    op.def(method,
           [called](nb::handle self) { return CallOperation(called, nullptr, {self}, {}); });
  }
  // An arithmetic shift of signed integers, a logical one of unsigned integers.
  op.def("__rshift__", [](nb::handle self, nb::handle other) {
    const Op& shifted = nb::cast<const Op&>(self);
    const ShapeInfo shape = Take(shifted.builder->ShapeOf(shifted));
    const bool is_signed = ElementTypeName(shape.type).starts_with("s");
    return CallOperation(is_signed ? "shift_right_arithmetic" : "shift_right_logical", nullptr,
                         {self, other}, {});
  });
  op.def(
      "__getitem__", [](nb::handle self, int64_t index) { return ElementOf(self, index); },
      "An element of a tuple.");
  op.def(
      "__iter__",
      [](nb::handle self) {
        const Op& tuple = nb::cast<const Op&>(self);
        const ShapeInfo shape = Take(tuple.builder->ShapeOf(tuple));
        if (shape.kind != ShapeInfo::Kind::kTuple) {
          const std::string message = shape.text + " is no tuple";
          PyErr_SetString(PyExc_TypeError, message.c_str());
          throw nb::python_error();
        }
        nb::list elements;
        for (size_t i = 0; i < shape.elements.size(); ++i)
          elements.append(ElementOf(self, static_cast<int64_t>(i)));
        return nb::iter(elements);
      },
      "The elements of a tuple.");
  // Arrays of NumPy leave operators to the operation.
  op.attr("__array_ufunc__") = nb::none();
}

}  // namespace

void BindBuilder(nb::module_& module) {
  nb::class_<Op> op(module, "XlaOp", "A value of a computation that is being built.");
  BindOperators(op);
  op.def_prop_ro("shape", [](const Op& o) { return Take(o.builder->ShapeOf(o)); })
      .def_prop_ro("builder", [](const Op& o) { return o.builder; })
      .def("__str__", [](const Op& o) { return o.builder->TextOf(o); })
      .def("__repr__", [](const Op& o) {
        auto shape = o.builder->ShapeOf(o);
        return "<XlaOp " + (shape.ok() ? shape.value().text : shape.error().message) + ">";
      });
  nb::class_<Builder>(module, "_Builder")
      .def(nb::init<const std::string&>(), nb::arg("name"))
      .def_prop_ro("name", [](const Builder& b) { return b.name(); })
      .def(
          "_build",
          [](Builder& self, std::optional<Op> root) {
            return Take(self.Build(root.has_value() ? &*root : nullptr));
          },
          nb::arg("root").none())
      .def("_set_sharding", [](Builder& b, const std::string& s) { Take(b.SetSharding(s)); })
      .def("_set_op_name", &Builder::SetOpName);
  module.def(
      "_call_operation",
      [](const std::string& operation, std::shared_ptr<Builder> builder,
         const nb::tuple& positional, const nb::dict& named) {
        std::vector<nb::handle> arguments;
        for (nb::handle argument : positional) arguments.push_back(argument);
        return CallOperation(operation, builder, arguments, named);
      },
      nb::arg("operation"), nb::arg("builder").none(), nb::arg("positional"), nb::arg("named"));
}

}  // namespace xla::python
