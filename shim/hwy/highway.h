// SPDX-License-Identifier: Apache-2.0
// Highway's header, with tables of functions that are linked by need: a program that is compiled
// for x86-64-v3 is linked with the code of AVX2, and not with that of AVX-512 or SSE4. The table of
// a function refers to the code of an instruction set through a pointer that is in an object of the
// set (cmake/by_need.cmake). Machines that lack what Highway wants for the set that is linked run
// the code of the baseline.
#include_next <hwy/highway.h>

#if HWY_ARCH_X86 && !defined(XYLEM_SHIM_HWY_HIGHWAY_H_)
#define XYLEM_SHIM_HWY_HIGHWAY_H_

namespace hwy {

// An entry of a table: null if the set is not linked.
template <typename Function>
using LinkedFunction = const Function* const*;

// The code of the best set of the thread that is linked.
template <typename Function>
Function ChooseLinked(const LinkedFunction<Function>* table, Function baseline) {
  ChosenTarget& chosen = GetChosenTarget();
  if (chosen.GetIndex() == 0) chosen.Update(SupportedTargets());
  for (size_t i = chosen.GetIndex(); i <= HWY_MAX_DYNAMIC_TARGETS; ++i) {
    if (table[i] != nullptr) return **table[i];
  }
  return baseline;
}

}  // namespace hwy

#define XYLEM_FUNCTION_TYPE(FUNCTION) decltype(&HWY_STATIC_DISPATCH(FUNCTION))
// Code in this file, for a set that is compiled.
#define XYLEM_CODE_BY_NEED(SET, FUNCTION)                                                        \
  extern "C" {                                                                                   \
  extern const XYLEM_FUNCTION_TYPE(FUNCTION) xylem_code_##SET##_##FUNCTION;                      \
  const XYLEM_FUNCTION_TYPE(FUNCTION) xylem_code_##SET##_##FUNCTION = &N_##SET::FUNCTION;        \
  [[gnu::weak,                                                                                   \
    gnu::visibility("hidden")]] extern const XYLEM_FUNCTION_TYPE(FUNCTION) * const xylem_linked_ \
      ##SET##_##FUNCTION;                                                                        \
  }

#undef HWY_CHOOSE_SSE2
#define HWY_CHOOSE_SSE2(FUNCTION) nullptr
#undef HWY_CHOOSE_SSSE3
#define HWY_CHOOSE_SSSE3(FUNCTION) nullptr
#undef HWY_CHOOSE_SSE4
#if HWY_TARGETS & HWY_SSE4
#define XYLEM_SSE4_CODE(FUNCTION) XYLEM_CODE_BY_NEED(SSE4, FUNCTION)
#define HWY_CHOOSE_SSE4(FUNCTION) &xylem_linked_SSE4_##FUNCTION
#else
#define XYLEM_SSE4_CODE(FUNCTION)
#define HWY_CHOOSE_SSE4(FUNCTION) nullptr
#endif
#undef HWY_CHOOSE_AVX2
#if HWY_TARGETS & HWY_AVX2
#define XYLEM_AVX2_CODE(FUNCTION) XYLEM_CODE_BY_NEED(AVX2, FUNCTION)
#define HWY_CHOOSE_AVX2(FUNCTION) &xylem_linked_AVX2_##FUNCTION
#else
#define XYLEM_AVX2_CODE(FUNCTION)
#define HWY_CHOOSE_AVX2(FUNCTION) nullptr
#endif
#undef HWY_CHOOSE_AVX3
#if HWY_TARGETS & HWY_AVX3
#define XYLEM_AVX3_CODE(FUNCTION) XYLEM_CODE_BY_NEED(AVX3, FUNCTION)
#define HWY_CHOOSE_AVX3(FUNCTION) &xylem_linked_AVX3_##FUNCTION
#else
#define XYLEM_AVX3_CODE(FUNCTION)
#define HWY_CHOOSE_AVX3(FUNCTION) nullptr
#endif

#undef HWY_EXPORT
#define HWY_EXPORT(FUNCTION)                                                       \
  XYLEM_SSE4_CODE(FUNCTION)                                                        \
  XYLEM_AVX2_CODE(FUNCTION)                                                        \
  XYLEM_AVX3_CODE(FUNCTION)                                                        \
  [[maybe_unused]] static const hwy::LinkedFunction<XYLEM_FUNCTION_TYPE(FUNCTION)> \
  HWY_DISPATCH_TABLE(FUNCTION)[HWY_MAX_DYNAMIC_TARGETS + 2] = {                    \
      nullptr, HWY_CHOOSE_TARGET_LIST(FUNCTION), nullptr}
#undef HWY_DYNAMIC_DISPATCH
#define HWY_DYNAMIC_DISPATCH(FUNCTION)                                             \
  (*hwy::ChooseLinked<XYLEM_FUNCTION_TYPE(FUNCTION)>(HWY_DISPATCH_TABLE(FUNCTION), \
                                                     &HWY_STATIC_DISPATCH(FUNCTION)))

#endif  // XYLEM_SHIM_HWY_HIGHWAY_H_
