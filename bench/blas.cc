// SPDX-License-Identifier: Apache-2.0
// bench_blas WORKERS [FILTER [LIBRARY PREFIX]]: microseconds of routines of BLAS and LAPACK in
// double precision whose names contain FILTER, of this library or of LIBRARY, whose symbols begin
// with PREFIX. With one worker,
// processor time of the thread. OpenBLAS takes its threads from the environment:
//
//   bench_blas 1; OPENBLAS_NUM_THREADS=1 bench_blas 1 '' libscipy_openblas.so scipy_
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "bench/thread_time.h"
#include "xla/blas/blas_threads.h"
#include "xla/runtime/thread_pool.h"

// Arguments are pointers, whatever the routine.
#define ROUTINES(X)                                                                      \
  X(dgemm_)                                                                              \
  X(dtrsm_)                                                                              \
  X(dtrmm_)                                                                              \
  X(dsyrk_)                                                                              \
  X(dsymv_)                                                                              \
  X(dgemv_)                                                                              \
  X(dger_)                                                                               \
  X(dtrmv_) X(dpotrf_) X(dgetrf_) X(dgeqrf_) X(dsytrd_) X(dgebrd_) X(dgehrd_) X(dsyevd_) \
      X(dgesdd_) X(dgeev_)
#define DECLARE(name) extern "C" void name(...);
ROUTINES(DECLARE)

namespace {

double Seconds(bool thread_time) {
  if (thread_time) return xla::ThreadSeconds();
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int Run(int workers, const char* filter, const char* library, const char* prefix) {
  void* const handle = library == nullptr ? nullptr : dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr && handle == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
#define FIND(name)      \
  const auto name##f =  \
      handle == nullptr \
          ? &name       \
          : reinterpret_cast<void (*)(...)>(dlsym(handle, (std::string(prefix) + #name).c_str()));
  ROUTINES(FIND)
  xla::runtime::ThreadPool pool(workers);
  const xla::kernels::KernelHost host = {
      &pool, workers,
      [](void* caller, int64_t count, void (*body)(void*, int64_t), void* argument) {
        (void)static_cast<xla::runtime::ThreadPool*>(caller)->ParallelFor(
            count, 1, [&](int64_t begin, int64_t end) {
              for (int64_t i = begin; i < end; ++i) body(argument, i);
              return absl::OkStatus();
            });
      },
      nullptr};
  xla::blas::BlasThreads threads(host);
  for (const int32_t n : {3, 10, 32, 100, 300, 1000}) {
    const size_t square = static_cast<size_t>(n) * n;
    std::mt19937 generator(1);
    std::normal_distribution<double> normal;
    std::vector<double> a(square), s(square), b(square), c(square), x(n), y(n), u(square),
        v(square), work(8 * square + 100 * n + 100);
    std::vector<int32_t> integers(8 * n + 10);
    for (auto* array : {&a, &b, &x, &y}) {
      for (double& value : *array) value = normal(generator);
    }
    for (int32_t i = 0; i < n; ++i) {
      for (int32_t j = 0; j < n; ++j) s[i + j * n] = a[i + j * n] + a[j + i * n];
      s[i + i * n] += 8 * n;
    }
    const double one = 1, zero = 0, small = 1e-9;
    const int32_t step = 1, lwork = static_cast<int32_t>(work.size()),
                  liwork = static_cast<int32_t>(integers.size());
    int32_t info = 0;
    double* const w = work.data();
    int32_t* const iw = integers.data();
    const auto time = [&](const char* name, double flops, const std::function<void()>& body) {
      if (std::strstr(name, filter) == nullptr) return;
      double best = 1e9, total = 0;
      for (int64_t count = 1, runs = 0; total < 0.3 || runs < 3; ++runs) {
        const double start = Seconds(workers == 1);
        for (int64_t i = 0; i < count; ++i) body();
        const double taken = Seconds(workers == 1) - start;
        best = std::min(best, taken / count);
        total += taken;
        if (taken < 0.002) count *= 2;
      }
      std::printf("%5d %-6s %12.2f us %8.2f GFLOP/s\n", n, name, best * 1e6, flops / best * 1e-9);
    };
    const double n2 = 1.0 * n * n, n3 = n2 * n;
    time("gemm", 2 * n3,
         [&] { dgemm_f("N", "N", &n, &n, &n, &one, &a[0], &n, &b[0], &n, &zero, &c[0], &n); });
    time("gemmTN", 2 * n3,
         [&] { dgemm_f("T", "N", &n, &n, &n, &one, &a[0], &n, &b[0], &n, &zero, &c[0], &n); });
    time("trsm", n3,
         [&] { dtrsm_f("L", "L", "N", "N", &n, &n, &one, &s[0], &n, &(c = b)[0], &n); });
    time("trsmR", n3,
         [&] { dtrsm_f("R", "L", "T", "N", &n, &n, &one, &s[0], &n, &(c = b)[0], &n); });
    time("trmmR", n3,
         [&] { dtrmm_f("R", "U", "N", "U", &n, &n, &small, &s[0], &n, &(c = b)[0], &n); });
    time("syrk", n3, [&] { dsyrk_f("L", "N", &n, &n, &one, &a[0], &n, &zero, &c[0], &n); });
    time("symv", 2 * n2, [&] { dsymv_f("L", &n, &one, &s[0], &n, &x[0], &step, &zero, w, &step); });
    time("gemv", 2 * n2,
         [&] { dgemv_f("N", &n, &n, &one, &a[0], &n, &x[0], &step, &zero, w, &step); });
    time("gemvT", 2 * n2,
         [&] { dgemv_f("T", &n, &n, &one, &a[0], &n, &x[0], &step, &zero, w, &step); });
    time("ger", 2 * n2, [&] { dger_f(&n, &n, &small, &x[0], &step, &y[0], &step, &c[0], &n); });
    time("trmv", n2, [&] { dtrmv_f("U", "N", "U", &n, &s[0], &n, &(y = x)[0], &step); });
    time("potrf", n3 / 3, [&] { dpotrf_f("L", &n, &(c = s)[0], &n, &info); });
    time("getrf", n3 * 2 / 3, [&] { dgetrf_f(&n, &n, &(c = a)[0], &n, iw, &info); });
    time("geqrf", n3 * 4 / 3, [&] { dgeqrf_f(&n, &n, &(c = a)[0], &n, &x[0], w, &lwork, &info); });
    time("sytrd", n3 * 4 / 3,
         [&] { dsytrd_f("L", &n, &(c = s)[0], &n, &x[0], &y[0], &u[0], w, &lwork, &info); });
    time("gehrd", n3 * 10 / 3,
         [&] { dgehrd_f(&n, &step, &n, &(c = a)[0], &n, &x[0], w, &lwork, &info); });
    time("gebrd", n3 * 8 / 3,
         [&] { dgebrd_f(&n, &n, &(c = a)[0], &n, &x[0], &y[0], &u[0], &v[0], w, &lwork, &info); });
    time("syevd", n3 * 4,
         [&] { dsyevd_f("V", "L", &n, &(c = s)[0], &n, &x[0], w, &lwork, iw, &liwork, &info); });
    time("gesdd", n3 * 9, [&] {
      dgesdd_f("S", &n, &n, &(c = a)[0], &n, &x[0], &u[0], &n, &v[0], &n, w, &lwork, iw, &info);
    });
    time("geev", n3 * 25, [&] {
      dgeev_f("N", "V", &n, &(c = a)[0], &n, &x[0], &y[0], &u[0], &n, &v[0], &n, w, &lwork, &info);
    });
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return Run(argc > 1 ? std::atoi(argv[1]) : 1, argc > 2 ? argv[2] : "",
             argc > 4 ? argv[3] : nullptr, argc > 4 ? argv[4] : nullptr);
}
