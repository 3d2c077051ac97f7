/* SPDX-License-Identifier: Apache-2.0 */
/* What callers of programs compiled ahead of time share: options, threads, errors. The header of a
 * program contains this text, once for all programs of a process. */
#ifndef XYLEM_PROGRAM_TYPES_H_
#define XYLEM_PROGRAM_TYPES_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What functions return: 0, or the code of an error. */
enum {
  XYLEM_PROGRAM_OK = 0,
  XYLEM_PROGRAM_CANCELLED = 1,
  XYLEM_PROGRAM_UNKNOWN = 2,
  XYLEM_PROGRAM_INVALID_ARGUMENT = 3,
  XYLEM_PROGRAM_NOT_FOUND = 5,
  XYLEM_PROGRAM_RESOURCE_EXHAUSTED = 8,
  XYLEM_PROGRAM_FAILED_PRECONDITION = 9,
  XYLEM_PROGRAM_UNIMPLEMENTED = 12,
  XYLEM_PROGRAM_INTERNAL = 13
};

/* The message of an error, as a sentence with names and numbers. */
typedef struct xylem_error {
  char message[256];
} xylem_error;

/* Threads of the caller. */
typedef struct xylem_threads {
  void* context;
  /* The most calls of `body` that run at the same time, at most 256. */
  int32_t count;
  /* Calls body(argument, i) for each i in [0, n), on any threads and in any order, and returns when
   * all have returned. Never called from within a body. */
  void (*parallel_for)(void* context, int64_t n, void (*body)(void* argument, int64_t i),
                       void* argument);
} xylem_threads;

/* Options of a program: all zeros is fine, and so is a null pointer. */
typedef struct xylem_load_options {
  /* The weights of a program that keeps them in a file: the file's path, which is mapped into
   * memory, or its contents, which the caller keeps, aligned to 64 bytes. */
  const char* weights_path;
  const void* weights;
  size_t weights_bytes;
} xylem_load_options;

/* Options of a run: all zeros is fine, and so is a null pointer. */
typedef struct xylem_run_options {
  /* Working memory of at least the program's scratch_bytes(threads), aligned to 64 bytes, that no
   * other run uses meanwhile. Null: allocated in one piece, and kept for the next run. */
  void* scratch;
  size_t scratch_bytes;
  /* Null: everything runs on the calling thread. */
  const xylem_threads* threads;
  /* If any thread makes it other than 0, the run ends soon with XYLEM_PROGRAM_CANCELLED. May be
   * null. */
  const int32_t* cancel;
} xylem_run_options;

/* Complex numbers. */
typedef struct xylem_complex64 {
  float re, im;
} xylem_complex64;
typedef struct xylem_complex128 {
  double re, im;
} xylem_complex128;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* XYLEM_PROGRAM_TYPES_H_ */
