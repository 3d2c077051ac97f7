/* SPDX-License-Identifier: Apache-2.0 */
/* A shared library without custom calls. */
int not_custom_calls(void) { return 1; }
