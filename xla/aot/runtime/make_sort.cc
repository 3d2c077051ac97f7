// SPDX-License-Identifier: Apache-2.0
#include "xla/aot/runtime/kernel_makers.h"

XYLEM_KERNEL_MAKER(xylem_make_sort, SortSpec)
