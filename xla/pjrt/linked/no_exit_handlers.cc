// SPDX-License-Identifier: Apache-2.0
// The plugin runs no destructors of global objects, its own or those of the libraries in it: it is
// never unloaded, and when the process ends the host may have threads that still run or compile
// programs. Linked with --wrap=__cxa_atexit, so that this is what registers destructors.
extern "C" int __wrap___cxa_atexit(void (*)(void*), void*, void*) { return 0; }
