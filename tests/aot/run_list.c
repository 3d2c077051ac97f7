/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the program of program.h: run_list CALL OUTPUT [WEIGHTS [SECONDS]].
 * CALL: the number of addresses; for each the number of its bytes and whether the program writes
 * them, as int64_t; then the bytes of those that it reads. OUTPUT receives the others. WEIGHTS: the
 * file of the weights, or empty. SECONDS: how long the program then runs again and again; prints
 * the least nanoseconds of a run. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include "program.h"

static int Fail(const char* message) {
  fprintf(stderr, "%s\n", message);
  return 1;
}

/* Large arrays are in huge pages, as those of the compiler's own runs are. */
static void* Allocate(size_t bytes) {
  const uintptr_t huge = (uintptr_t)2 << 20;
  void* const memory = aligned_alloc(64, (bytes + 127) / 64 * 64);
  if (memory == NULL || bytes < 4 * huge) return memory;
  const uintptr_t first = ((uintptr_t)memory + huge - 1) / huge * huge;
  const uintptr_t last = ((uintptr_t)memory + bytes) / huge * huge;
  madvise((void*)first, last - first, MADV_HUGEPAGE);
  return memory;
}

static double Nanoseconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static double Least(double a, double b) { return a < b ? a : b; }

/* Processor time is that of slices, as `xylem bench` takes it: to ask for it takes long. */
static int Measure(const program* loaded, void* const* addresses, double seconds,
                   xylem_error* error) {
  const double slice = 2e7;
  double wall = 1e300, processor = 1e300;
  const double end = Nanoseconds(CLOCK_MONOTONIC) + 1e9 * seconds;
  for (int runs = 0; runs < 3 || Nanoseconds(CLOCK_MONOTONIC) < end;) {
    const double used = Nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
    const double slice_end = Nanoseconds(CLOCK_MONOTONIC) + slice;
    int count = 0;
    do {
      const double start = Nanoseconds(CLOCK_MONOTONIC);
      const int status = program_run_list(loaded, addresses, NULL, error);
      if (status != 0) return status;
      wall = Least(wall, Nanoseconds(CLOCK_MONOTONIC) - start);
      ++count;
    } while (Nanoseconds(CLOCK_MONOTONIC) < slice_end);
    processor = Least(processor, (Nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - used) / count);
    runs += count;
  }
  printf("%.0f %.0f\n", wall, processor);
  return 0;
}

int main(int argc, char** argv) {
  int64_t count = 0, i;
  if (argc < 3) return Fail("usage: run_list CALL OUTPUT [WEIGHTS [SECONDS]]");
  FILE* call = fopen(argv[1], "rb");
  if (call == NULL || fread(&count, sizeof(count), 1, call) != 1) return Fail("cannot read CALL");
  int64_t(*arrays)[2] = malloc((size_t)(count + 1) * sizeof(*arrays));
  void** addresses = malloc((size_t)(count + 1) * sizeof(*addresses));
  if (fread(arrays, sizeof(*arrays), (size_t)count, call) != (size_t)count)
    return Fail("cannot read the arrays of CALL");
  for (i = 0; i < count; ++i) {
    const size_t bytes = (size_t)arrays[i][0];
    addresses[i] = Allocate(bytes);
    if (arrays[i][1] == 0 && fread(addresses[i], 1, bytes, call) != bytes)
      return Fail("cannot read an argument of CALL");
  }
  fclose(call);
  xylem_error error;
  xylem_load_options load = {0};
  load.weights_path = argc > 3 && argv[3][0] != 0 ? argv[3] : NULL;
  program* loaded = NULL;
  if (program_create(&load, &loaded, &error) != 0) return Fail(error.message);
  if (program_run_list(loaded, addresses, NULL, &error) != 0) return Fail(error.message);
  if (argc > 4 && Measure(loaded, addresses, atof(argv[4]), &error) != 0)
    return Fail(error.message);
  program_destroy(loaded);
  FILE* output = fopen(argv[2], "wb");
  if (output == NULL) return Fail("cannot write OUTPUT");
  for (i = 0; i < count; ++i) {
    if (arrays[i][1] != 0) fwrite(addresses[i], 1, (size_t)arrays[i][0], output);
    free(addresses[i]);
  }
  fclose(output);
  free(addresses);
  free(arrays);
  return 0;
}
