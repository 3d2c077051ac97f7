// SPDX-License-Identifier: Apache-2.0
// The client library in one page: builds a program, compiles it for the layouts of its arguments,
// and runs it on buffers. Written against XLA's headers: it compiles with XLA as well.
//
//   a x + y, and by Newton's method the square roots of the results.
#include "xla/client/local_client.h"

#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/client/client_library.h"
#include "xla/client/executable_build_options.h"
#include "xla/hlo/builder/lib/constants.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/hlo/builder/xla_computation.h"
#include "xla/literal.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"
#include "xla/tsl/platform/statusor.h"

namespace {

constexpr int kElements = 4;

// while (i < 5) root = (root + value / root) / 2
absl::StatusOr<xla::XlaOp> NewtonRoots(xla::XlaBuilder* builder, xla::XlaOp values,
                                       const xla::Shape& shape) {
  const xla::Shape state_shape =
      xla::ShapeUtil::MakeTupleShape({xla::ShapeUtil::MakeShape(xla::S32, {}), shape, shape});
  xla::XlaBuilder condition_builder("condition");
  {
    xla::XlaOp state = xla::Parameter(&condition_builder, 0, state_shape, "state");
    xla::Lt(xla::GetTupleElement(state, 0), xla::ConstantR0<int32_t>(&condition_builder, 5));
  }
  TF_ASSIGN_OR_RETURN(const xla::XlaComputation condition, condition_builder.Build());

  xla::XlaBuilder body_builder("body");
  {
    xla::XlaOp state = xla::Parameter(&body_builder, 0, state_shape, "state");
    xla::XlaOp trip = xla::GetTupleElement(state, 0) + xla::ConstantR0<int32_t>(&body_builder, 1);
    xla::XlaOp value = xla::GetTupleElement(state, 1);
    xla::XlaOp root = xla::GetTupleElement(state, 2);
    root = (root + value / root) / xla::ConstantR0<float>(&body_builder, 2.0f);
    xla::Tuple(&body_builder, {trip, value, root});
  }
  TF_ASSIGN_OR_RETURN(const xla::XlaComputation body, body_builder.Build());

  xla::XlaOp init = xla::Tuple(builder, {xla::ConstantR0<int32_t>(builder, 0), values, values});
  return xla::GetTupleElement(xla::While(condition, body, init), 2);
}

absl::StatusOr<xla::XlaComputation> BuildProgram() {
  xla::XlaBuilder builder("axpy_and_roots");
  const xla::Shape vector = xla::ShapeUtil::MakeShape(xla::F32, {kElements});
  xla::XlaOp a = xla::Parameter(&builder, 0, xla::ShapeUtil::MakeShape(xla::F32, {}), "a");
  xla::XlaOp x = xla::Parameter(&builder, 1, vector, "x");
  xla::XlaOp y = xla::Parameter(&builder, 2, vector, "y");
  xla::XlaOp axpy = xla::Add(xla::Mul(a, x), y);
  TF_ASSIGN_OR_RETURN(xla::XlaOp roots, NewtonRoots(&builder, axpy, vector));
  xla::Tuple(&builder, {axpy, roots});
  return builder.Build();
}

absl::Status RunExample() {
  TF_ASSIGN_OR_RETURN(const xla::XlaComputation program, BuildProgram());
  xla::LocalClient* client = xla::ClientLibrary::LocalClientOrDie();
  std::printf("platform %s with %d device(s)\n", client->platform()->Name().c_str(),
              client->device_count());

  const int device = client->default_device_ordinal();
  TF_ASSIGN_OR_RETURN(
      const xla::ScopedShapedBuffer a,
      client->LiteralToShapedBuffer(xla::LiteralUtil::CreateR0<float>(2.0f), device));
  TF_ASSIGN_OR_RETURN(
      const xla::ScopedShapedBuffer x,
      client->LiteralToShapedBuffer(xla::LiteralUtil::CreateR1<float>({1, 2, 3, 4}), device));
  TF_ASSIGN_OR_RETURN(
      const xla::ScopedShapedBuffer y,
      client->LiteralToShapedBuffer(xla::LiteralUtil::CreateR1<float>({2, 5, 10, 17}), device));

  TF_ASSIGN_OR_RETURN(
      std::vector<std::unique_ptr<xla::LocalExecutable>> executables,
      client->Compile(program, {&a.on_host_shape(), &x.on_host_shape(), &y.on_host_shape()},
                      xla::ExecutableBuildOptions()));
  xla::ExecutableRunOptions run_options;
  run_options.set_allocator(client->backend().memory_allocator());
  TF_ASSIGN_OR_RETURN(const xla::ScopedShapedBuffer result,
                      executables[0]->Run({&a, &x, &y}, run_options));

  TF_ASSIGN_OR_RETURN(const xla::Literal literal, client->ShapedBufferToLiteral(result));
  std::printf("%s\n", literal.ToString().c_str());
  for (int i = 0; i < kElements; ++i) {
    const float value = literal.Get<float>({i}, {0});
    const float root = literal.Get<float>({i}, {1});
    if (std::abs(root * root - value) > 1e-3f * value) {
      return absl::InternalError("a root is not a root");
    }
  }
  return absl::OkStatus();
}

}  // namespace

int main() {
  const absl::Status status = RunExample();
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
