// SPDX-License-Identifier: Apache-2.0
// Where in the user's program a function of the client API is called; error messages name it.
//
// Every function that makes an operation ends in the parameter `CallSite site =
// CallSite::Current()`, which callers leave out.
#ifndef XLA_HLO_BUILDER_CALL_SITE_H_
#define XLA_HLO_BUILDER_CALL_SITE_H_

namespace xla {

struct CallSite {
  const char* file = "";
  int line = 0;

  // As a default argument: the place of the call.
  static constexpr CallSite Current(const char* file = __builtin_FILE(),
                                    int line = __builtin_LINE()) {
    return CallSite(file, line);
  }
  CallSite() = default;

 private:
  // Not an aggregate, so that braces in the place of another argument never become a CallSite.
  explicit constexpr CallSite(const char* f, int l) : file(f), line(l) {}
};

}  // namespace xla

#endif  // XLA_HLO_BUILDER_CALL_SITE_H_
