// SPDX-License-Identifier: Apache-2.0
#include "xla/blas/blas_threads.h"

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "xla/kernels/kernel.h"

namespace xla::blas {
namespace {

thread_local BlasThreads* current = nullptr;

}  // namespace

BlasThreads::BlasThreads(const kernels::KernelHost& host) : host_(host), outer_(current) {
  current = this;
}

BlasThreads::~BlasThreads() { current = outer_; }

BlasThreads* BlasThreads::Current() { return current; }

void BlasThreads::Run(int64_t count, absl::FunctionRef<void(int64_t)> body) {
  if (!status_.ok()) return;
  status_ = kernels::RunTasks(host_, count, /*scratch=*/nullptr, /*scratch_bytes=*/0,
                              [&](int64_t i, kernels::Task&) { body(i); });
}

}  // namespace xla::blas
