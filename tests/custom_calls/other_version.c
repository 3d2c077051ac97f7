/* SPDX-License-Identifier: Apache-2.0 */
/* A library made for another version of the custom-call interface. */
#include "xla/runtime/custom_call_c.h"

static const XylemCustomCallTable kTable = {sizeof(XylemCustomCallTable),
                                            XYLEM_CUSTOM_CALL_ABI_MAJOR + 1, 7, 0, NULL};

XYLEM_EXPORT const XylemCustomCallTable* xylem_custom_calls(void) { return &kTable; }
