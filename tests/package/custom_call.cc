// SPDX-License-Identifier: Apache-2.0
// A custom call written against xla/ffi/api/ffi.h, as XLA's documentation shows it, and a program
// that calls it.
#include <iostream>

#include "xla/client/client_library.h"
#include "xla/client/local_client.h"
#include "xla/ffi/api/ffi.h"
#include "xla/ffi/ffi_api.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/literal_util.h"

namespace ffi = xla::ffi;

ffi::Error AddCyclic(ffi::BufferR1<ffi::F32> in0, ffi::BufferR1<ffi::F32> in1,
                     ffi::Result<ffi::BufferR1<ffi::F32>> out) {
  const size_t d0 = in0.dimensions()[0], d1 = in1.dimensions()[0];
  if (static_cast<size_t>(out->dimensions()[0]) != d1) return ffi::Error::InvalidArgument("sizes");
  for (size_t i = 0; i < d1; ++i) {
    out->typed_data()[i] = in0.typed_data()[i % d0] + in1.typed_data()[i];
  }
  return ffi::Error::Success();
}

XLA_FFI_DEFINE_HANDLER(handler, AddCyclic,
                       ffi::Ffi::Bind()
                           .Arg<ffi::BufferR1<ffi::F32>>()
                           .Arg<ffi::BufferR1<ffi::F32>>()
                           .Ret<ffi::BufferR1<ffi::F32>>());
XLA_FFI_REGISTER_HANDLER(xla::ffi::GetXlaFfiApi(), "add_cyclic", "Host", handler);

int main() {
  xla::XlaBuilder b("call");
  const auto vector = [&](int64_t i, int64_t size) {
    return xla::Parameter(&b, i, xla::ShapeUtil::MakeShape(xla::F32, {size}), "p");
  };
  xla::CustomCall(&b, "add_cyclic", {vector(0, 2), vector(1, 4)},
                  xla::ShapeUtil::MakeShape(xla::F32, {4}), /*opaque=*/"",
                  /*has_side_effect=*/false, /*output_operand_aliasing=*/{}, /*literal=*/nullptr,
                  xla::CustomCallSchedule::SCHEDULE_NONE,
                  xla::CustomCallApiVersion::API_VERSION_TYPED_FFI);
  xla::LocalClient* client = xla::ClientLibrary::LocalClientOrDie();
  const auto first = xla::LiteralUtil::CreateR1<float>({1, 2});
  const auto second = xla::LiteralUtil::CreateR1<float>({3, 7, 15, 23});
  const auto result = client->ExecuteAndTransfer(b.Build().value(),
                                                 {client->TransferToServer(first).value().get(),
                                                  client->TransferToServer(second).value().get()});
  std::cout << (result.ok() ? result->ToString() : std::string(result.status().message())) << "\n";
  return result.ok() ? 0 : 1;
}
