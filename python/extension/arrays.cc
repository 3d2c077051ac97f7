// SPDX-License-Identifier: Apache-2.0
// Arrays of NumPy in and out, without copies where there is a choice. NumPy is imported by the
// first call that needs it, and reached through its table of functions, whose indices are part of
// its ABI (numpy/_core/code_generators/numpy_api.py): one build serves 1.26 and 2.
#include <nanobind/ndarray.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <string>
#include <vector>

#include "python/extension/common.h"

namespace xla::python {

// PyArrayObject_fields of NumPy's ndarraytypes.h, the same since NumPy 1.7.
struct ArrayFields {
  PyObject_HEAD char* data;
  int nd;
  Py_ssize_t* dimensions;
  Py_ssize_t* strides;
  PyObject* base;
  PyObject* descr;
  int flags;
};

namespace {

constexpr int kContiguous = 0x0001, kAligned = 0x0100, kWriteable = 0x0400;
constexpr int kTypeIndex = 2, kNewFromDescrIndex = 94, kSetBaseObjectIndex = 282;
constexpr size_t kMaxTypes = 64;
constexpr int64_t kMaxRank = 32;  // of NumPy 1; NumPy 2 has 64

struct NumPy {
  PyTypeObject* array_type;
  PyObject* (*new_from_descr)(PyTypeObject*, PyObject*, int, const Py_ssize_t*, const Py_ssize_t*,
                              void*, int, PyObject*);
  int (*set_base_object)(PyObject*, PyObject*);
  std::array<std::atomic<PyObject*>, kMaxTypes> dtypes{};
};

NumPy* LoadNumPy() {
  nb::object helpers = nb::module_::import_("xylem._arrays");
  nb::object capsule = helpers.attr("array_api")();
  void** const table = static_cast<void**>(PyCapsule_GetPointer(capsule.ptr(), nullptr));
  if (table == nullptr) throw nb::python_error();
  auto* numpy = new NumPy;
  numpy->array_type = static_cast<PyTypeObject*>(table[kTypeIndex]);
  std::memcpy(&numpy->new_from_descr, &table[kNewFromDescrIndex], sizeof(void*));
  std::memcpy(&numpy->set_base_object, &table[kSetBaseObjectIndex], sizeof(void*));
  return numpy;
}

std::atomic<NumPy*> loaded{nullptr};

// Throws python_error if there is no NumPy. The import may run Python, so that two threads may get
// here; one of the tables is kept.
NumPy& Loaded() {
  NumPy* numpy = loaded.load(std::memory_order_acquire);
  if (numpy != nullptr) return *numpy;
  NumPy* const made = LoadNumPy();
  if (loaded.compare_exchange_strong(numpy, made, std::memory_order_acq_rel)) return *made;
  delete made;
  return *numpy;
}

// What keeps the memory of another library's array.
struct Borrowed {
  nb::ndarray<nb::ro, nb::device::cpu> array;
};

bool HasDimensions(const ArrayFields& array, const Leaf& leaf) {
  if (array.nd != static_cast<int>(leaf.dimensions.size())) return false;
  for (int d = 0; d < array.nd; ++d) {
    const int64_t bound = leaf.dimensions[static_cast<size_t>(d)];
    if (leaf.is_dynamic ? array.dimensions[d] > bound : array.dimensions[d] != bound) return false;
  }
  return true;
}

bool IsInPlace(const ArrayFields& array, int64_t element_bytes) {
  const auto alignment = static_cast<uintptr_t>(std::clamp<int64_t>(element_bytes, 1, 16));
  return (array.flags & kContiguous) != 0 &&
         reinterpret_cast<uintptr_t>(array.data) % alignment == 0;
}

bool HasDtype(const ArrayFields& array, PyObject* dtype) {
  if (array.descr == dtype) return true;
  const int equal = PyObject_RichCompareBool(array.descr, dtype, Py_EQ);
  if (equal < 0) throw nb::python_error();
  return equal == 1;
}

void FreeCapsule(PyObject* capsule) { FreeArray(PyCapsule_GetPointer(capsule, nullptr)); }

// Row-major strides are left to NumPy.
bool IsRowMajor(const Leaf& leaf) {
  int64_t expected = leaf.element_bytes;
  for (size_t d = leaf.dimensions.size(); d-- > 0;) {
    if (leaf.dimensions[d] > 1 && leaf.byte_strides[d] != expected) return false;
    expected *= leaf.dimensions[d];
  }
  return true;
}

// Steals `owner`, which may be null. New reference, or null with an exception set.
PyObject* NewArray(int type, const Py_ssize_t* dimensions, size_t rank, const Py_ssize_t* strides,
                   void* data, int flags, PyObject* owner) {
  NumPy& numpy = Loaded();
  PyObject* const dtype = DtypeOf(type);
  if (dtype == nullptr) {
    Py_XDECREF(owner);
    return nullptr;
  }
  Py_INCREF(dtype);  // stolen
  PyObject* const array = numpy.new_from_descr(numpy.array_type, dtype, static_cast<int>(rank),
                                               dimensions, strides, data, flags, nullptr);
  if (array == nullptr) {
    Py_XDECREF(owner);
    return nullptr;
  }
  if (numpy.set_base_object(array, owner) < 0) {
    Py_DECREF(array);
    return nullptr;
  }
  return array;
}

// An array of another library's, through DLPack: types that NumPy's own from_dlpack refuses are
// those of ml_dtypes.
nb::object FromDlpack(nb::handle object) {
  nb::ndarray<nb::ro, nb::device::cpu> array;
  try {
    array = nb::cast<nb::ndarray<nb::ro, nb::device::cpu>>(object);
  } catch (const nb::cast_error&) {
    PyErr_SetString(PyExc_TypeError, "the array is not in memory of the CPU");
    throw nb::python_error();
  }
  const auto dtype = array.dtype();
  // DLDataTypeCode
  const char* prefix = "";
  switch (dtype.code) {
    case 0:
      prefix = "s";
      break;
    case 1:
      prefix = "u";
      break;
    case 2:
      prefix = "f";
      break;
    case 4:
      prefix = "bf";
      break;
    case 5:
      prefix = "c";
      break;
    default:
      break;
  }
  std::string name = prefix + std::to_string(dtype.bits);
  if (dtype.code == 6) name = "pred";
  static const char* const kFloat8[] = {"f8e3m4",     "f8e4m3", "f8e4m3b11fnuz", "f8e4m3fn",
                                        "f8e4m3fnuz", "f8e5m2", "f8e5m2fnuz",    "f8e8m0fnu"};
  if (dtype.code >= 7 && dtype.code <= 14) name = kFloat8[dtype.code - 7];
  const int type = ElementTypeNumber(name);
  if (type == 0 || dtype.lanes != 1 || dtype.bits % 8 != 0) {
    PyErr_SetString(PyExc_TypeError, "the array has an element type that programs do not have");
    throw nb::python_error();
  }
  std::vector<Py_ssize_t> dimensions, strides;
  for (size_t d = 0; d < array.ndim(); ++d) {
    dimensions.push_back(static_cast<Py_ssize_t>(array.shape(d)));
    strides.push_back(static_cast<Py_ssize_t>(array.stride(d) * (dtype.bits / 8)));
  }
  nb::object owner = nb::cast(Borrowed{array}, nb::rv_policy::move);
  PyObject* const made =
      NewArray(type, dimensions.data(), dimensions.size(), strides.data(),
               const_cast<void*>(static_cast<const void*>(array.data())), 0, owner.release().ptr());
  if (made == nullptr) throw nb::python_error();
  return nb::steal(made);
}

}  // namespace

const ArrayFields* AsArray(PyObject* object) {
  PyTypeObject* const type = Loaded().array_type;
  if (Py_TYPE(object) != type && !PyType_IsSubtype(Py_TYPE(object), type)) return nullptr;
  return reinterpret_cast<const ArrayFields*>(object);
}

PyObject* DtypeOf(int type) {
  NumPy& numpy = Loaded();
  const auto index = static_cast<size_t>(type);
  if (index >= kMaxTypes) {
    PyErr_SetString(PyExc_TypeError, "NumPy has no such element type");
    return nullptr;
  }
  PyObject* dtype = numpy.dtypes[index].load(std::memory_order_acquire);
  if (dtype != nullptr) return dtype;
  nb::object made = nb::module_::import_("xylem._arrays")
                        .attr("dtype_of")(nb::str(ElementTypeName(type).c_str()));
  if (numpy.dtypes[index].compare_exchange_strong(dtype, made.ptr(), std::memory_order_acq_rel))
    return made.release().ptr();
  return dtype;
}

int ElementTypeOfArray(const ArrayFields& array) {
  nb::object name =
      nb::module_::import_("xylem._arrays").attr("type_name")(nb::handle(array.descr));
  return ElementTypeNumber(nb::cast<std::string>(name));
}

ArgumentArray ArgumentOf(const Leaf& leaf, size_t position, PyObject* object, nb::list& keep,
                         std::vector<int64_t>& dimensions) {
  PyObject* const dtype = DtypeOf(leaf.type);
  if (dtype == nullptr) throw nb::python_error();
  const ArrayFields* array = AsArray(object);
  if (array == nullptr || !HasDtype(*array, dtype) || !HasDimensions(*array, leaf) ||
      !IsInPlace(*array, leaf.element_bytes)) {
    nb::object prepared =
        nb::module_::import_("xylem._arrays")
            .attr("prepare")(nb::handle(object), nb::handle(dtype), leaf.dimensions,
                             leaf.is_dynamic, leaf.text, position);
    array = AsArray(prepared.ptr());
    keep.append(prepared);
    if (array == nullptr || !HasDtype(*array, dtype) || !HasDimensions(*array, leaf) ||
        !IsInPlace(*array, leaf.element_bytes)) {
      PyErr_SetString(PyExc_TypeError, "the argument could not be prepared");
      throw nb::python_error();
    }
  }
  if (!leaf.is_dynamic) return {array->data, nullptr};
  dimensions.assign(array->dimensions, array->dimensions + array->nd);
  return {array->data, &dimensions};
}

PyObject* ArrayOf(const Leaf& leaf, ResultArray& result) {
  PyObject* const owner = PyCapsule_New(result.data, nullptr, FreeCapsule);
  if (owner == nullptr) {
    FreeArray(result.data);
    return nullptr;
  }
  const std::vector<int64_t>& sizes = leaf.is_dynamic ? result.dynamic_sizes : leaf.dimensions;
  static_assert(sizeof(Py_ssize_t) == sizeof(int64_t));
  const auto* const dimensions = reinterpret_cast<const Py_ssize_t*>(sizes.data());
  const bool row_major = !leaf.is_dynamic && IsRowMajor(leaf);
  return NewArray(
      leaf.type, dimensions, sizes.size(),
      row_major ? nullptr : reinterpret_cast<const Py_ssize_t*>(leaf.byte_strides.data()),
      result.data, kAligned | kWriteable | (row_major ? kContiguous : 0), owner);
}

nb::object BorrowedArray(const ShapeInfo& shape, const void* data, nb::handle owner) {
  if (static_cast<int64_t>(shape.dimensions.size()) > kMaxRank) {
    PyErr_SetString(PyExc_ValueError, "the array has more dimensions than NumPy allows");
    throw nb::python_error();
  }
  owner.inc_ref();
  PyObject* const array =
      NewArray(shape.type, reinterpret_cast<const Py_ssize_t*>(shape.dimensions.data()),
               shape.dimensions.size(), nullptr, const_cast<void*>(data), kAligned | kContiguous,
               owner.ptr());
  if (array == nullptr) throw nb::python_error();
  return nb::steal(array);
}

bool ContiguousArray(PyObject* object, ShapeInfo& shape, const void*& data) {
  const ArrayFields* const array = AsArray(object);
  if (array == nullptr || (array->flags & kContiguous) == 0) return false;
  shape.kind = ShapeInfo::Kind::kArray;
  shape.type = ElementTypeOfArray(*array);
  shape.dimensions.assign(array->dimensions, array->dimensions + array->nd);
  data = array->data;
  return shape.type != 0;
}

void BindArrays(nb::module_& module) {
  nb::class_<Borrowed>(module, "_Borrowed");
  module.def("from_dlpack", &FromDlpack, nb::arg("array"),
             "A NumPy array on the memory of another library's array.");
}

}  // namespace xla::python
