// SPDX-License-Identifier: Apache-2.0
// Calls squares.hlo, compiled ahead of time: prints "2 5 10".
#include <stdio.h>

#include "squares.h"

int main(void) {
  const float x[SQUARES_X_SIZE] = {1, 2, 3};
  float result[SQUARES_RESULT_SIZE];
  squares* program;
  xylem_error error;
  if (squares_create(NULL, &program, &error) != 0 ||
      squares_run(program, x, result, NULL, &error) != 0) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  printf("%g %g %g\n", result[0], result[1], result[2]);
  squares_destroy(program);
  return 0;
}
