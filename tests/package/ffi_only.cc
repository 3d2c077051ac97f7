// SPDX-License-Identifier: Apache-2.0
// A custom call in a shared library that links nothing, of C++17.
#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;

static ffi::Error Scale(ffi::Buffer<ffi::F32> in, ffi::ResultBuffer<ffi::F32> out, float by) {
  for (size_t i = 0; i < in.element_count(); ++i) out->typed_data()[i] = by * in.typed_data()[i];
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    scale, Scale,
    ffi::Ffi::Bind().Arg<ffi::Buffer<ffi::F32>>().Ret<ffi::Buffer<ffi::F32>>().Attr<float>("by"));
