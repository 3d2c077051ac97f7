// SPDX-License-Identifier: Apache-2.0
#ifndef SHIM_ABSL_FUNCTIONAL_FUNCTION_REF_H_
#define SHIM_ABSL_FUNCTIONAL_FUNCTION_REF_H_

#include <memory>
#include <type_traits>
#include <utility>

#include "absl/base/config.h"

namespace absl {
ABSL_NAMESPACE_BEGIN

template <typename Signature>
class FunctionRef;

template <typename R, typename... Args>
class FunctionRef<R(Args...)> {
 public:
  template <typename F, std::enable_if_t<!std::is_same_v<std::decay_t<F>, FunctionRef> &&
                                             !std::is_function_v<std::remove_reference_t<F>> &&
                                             std::is_invocable_r_v<R, F&, Args...>,
                                         int> = 0>
  FunctionRef(F&& function) {
    target_.object = const_cast<void*>(static_cast<const void*>(std::addressof(function)));
    call_ = [](Target target, Args... args) -> R {
      return (*static_cast<std::remove_reference_t<F>*>(target.object))(
          std::forward<Args>(args)...);
    };
  }
  template <
      typename F,
      std::enable_if_t<std::is_function_v<F> && std::is_invocable_r_v<R, F&, Args...>, int> = 0>
  FunctionRef(F* function) {
    target_.function = reinterpret_cast<void (*)()>(function);
    call_ = [](Target target, Args... args) -> R {
      return reinterpret_cast<F*>(target.function)(std::forward<Args>(args)...);
    };
  }

  R operator()(Args... args) const { return call_(target_, std::forward<Args>(args)...); }

 private:
  union Target {
    void* object;
    void (*function)();
  };
  Target target_;
  R (*call_)(Target, Args...);
};

ABSL_NAMESPACE_END
}  // namespace absl

#endif  // SHIM_ABSL_FUNCTIONAL_FUNCTION_REF_H_
