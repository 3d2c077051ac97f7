// SPDX-License-Identifier: Apache-2.0
// Numbers of the types that pass through the interface of custom calls as bare pointers.
#ifndef XLA_FFI_TYPE_ID_H_
#define XLA_FFI_TYPE_ID_H_

#include <cstdint>
#include <string>
#include <typeinfo>

#include "xla/ffi/ffi_api.h"

namespace xla::ffi::internal {

// Its address tells types of equal name in different files apart.
template <typename T>
inline constexpr char type_marker = 0;

// The number of T, which is registered with a function that deletes a T at the first call.
template <typename T>
XLA_FFI_TypeId TypeIdOf() {
  static const XLA_FFI_TypeId id = [] {
    const std::string name = std::string(typeid(T).name()) + "@" +
                             std::to_string(reinterpret_cast<uintptr_t>(&type_marker<T>));
    const XLA_FFI_TypeInfo info = {sizeof(XLA_FFI_TypeInfo), nullptr,
                                   [](void* object) { delete static_cast<T*>(object); }};
    XLA_FFI_TypeId registered = {0};
    XLA_FFI_Type_Register_Args args = {
        sizeof(args), nullptr, {name.data(), name.size()}, &registered, &info};
    GetXlaFfiApi()->XLA_FFI_Type_Register(&args);  // does not fail for a type without a number
    return registered;
  }();
  return id;
}

}  // namespace xla::ffi::internal

#endif  // XLA_FFI_TYPE_ID_H_
