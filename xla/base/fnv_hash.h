// SPDX-License-Identifier: Apache-2.0
// The hash FNV-1a of 64 bits (Fowler, Noll, Vo): the same in every process, for names of files and
// fingerprints. Not for tables, nor against people who look for equal hashes.
#ifndef XLA_BASE_FNV_HASH_H_
#define XLA_BASE_FNV_HASH_H_

#include <cstdint>
#include <string_view>

namespace xla {

inline constexpr uint64_t kFnvBasis = 0xcbf29ce484222325u;

// `hash`: of what comes before.
inline uint64_t FnvHash(std::string_view bytes, uint64_t hash = kFnvBasis) {
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

}  // namespace xla

#endif  // XLA_BASE_FNV_HASH_H_
