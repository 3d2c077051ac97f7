// SPDX-License-Identifier: Apache-2.0
// Custom calls in C++, as XLA's header of this name has them: functions with typed parameters
// become handlers of the C interface (c_api.h). Nothing else is needed, neither to compile nor to
// link, so that one shared library serves Xylem, XLA and JAX.
//
//   namespace ffi = xla::ffi;
//   static ffi::Error Scale(ffi::Buffer<ffi::F32> in, ffi::ResultBuffer<ffi::F32> out, float by) {
//     for (size_t i = 0; i < in.element_count(); ++i) {
//       out->typed_data()[i] = by * in.typed_data()[i];
//     }
//     return ffi::Error::Success();
//   }
//   XLA_FFI_DEFINE_HANDLER_SYMBOL(scale, Scale, ffi::Ffi::Bind().Arg<ffi::Buffer<ffi::F32>>()
//                                                   .Ret<ffi::Buffer<ffi::F32>>()
//                                                   .Attr<float>("by"));
//
// Programs that link Xylem may use xla/ffi/ffi.h instead, which has absl::Status; not both in one
// source.
#ifndef XLA_FFI_API_FFI_H_
#define XLA_FFI_API_FFI_H_

#ifdef XLA_FFI_FFI_H_
#error "xla/ffi/ffi.h and xla/ffi/api/ffi.h define the same names: include one of them"
#endif

#include "xla/ffi/api/attributes.h"
#include "xla/ffi/api/buffers.h"
#include "xla/ffi/api/contexts.h"
#include "xla/ffi/api/futures.h"
#include "xla/ffi/api/patterns.h"

namespace xla::ffi {

// The table of the process, of a program that links Xylem.
const XLA_FFI_Api* GetXlaFfiApi();

}  // namespace xla::ffi

#endif  // XLA_FFI_API_FFI_H_
