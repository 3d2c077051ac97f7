/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the program of program.h: run_list CALL OUTPUT [WEIGHTS].
 * CALL: the number of addresses; for each the number of its bytes and whether the program writes
 * them, as int64_t; then the bytes of those that it reads. OUTPUT receives the others. */
#include <stdio.h>
#include <stdlib.h>

#include "program.h"

static int Fail(const char* message) {
  fprintf(stderr, "%s\n", message);
  return 1;
}

int main(int argc, char** argv) {
  int64_t count = 0, i;
  if (argc < 3) return Fail("usage: run_list CALL OUTPUT [WEIGHTS]");
  FILE* call = fopen(argv[1], "rb");
  if (call == NULL || fread(&count, sizeof(count), 1, call) != 1) return Fail("cannot read CALL");
  int64_t(*arrays)[2] = malloc((size_t)(count + 1) * sizeof(*arrays));
  void** addresses = malloc((size_t)(count + 1) * sizeof(*addresses));
  if (fread(arrays, sizeof(*arrays), (size_t)count, call) != (size_t)count)
    return Fail("cannot read the arrays of CALL");
  for (i = 0; i < count; ++i) {
    const size_t bytes = (size_t)arrays[i][0];
    addresses[i] = aligned_alloc(64, (bytes + 127) / 64 * 64);
    if (arrays[i][1] == 0 && fread(addresses[i], 1, bytes, call) != bytes)
      return Fail("cannot read an argument of CALL");
  }
  fclose(call);
  xylem_error error;
  xylem_load_options load = {0};
  load.weights_path = argc > 3 ? argv[3] : NULL;
  program* loaded = NULL;
  if (program_create(&load, &loaded, &error) != 0) return Fail(error.message);
  if (program_run_list(loaded, addresses, NULL, &error) != 0) return Fail(error.message);
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
