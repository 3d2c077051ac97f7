// SPDX-License-Identifier: Apache-2.0
// Archives and arrays in NumPy's formats whose headers lie.
#ifndef FUZZ_HOSTILE_NPZ_MUTATOR_H_
#define FUZZ_HOSTILE_NPZ_MUTATOR_H_

#include <string>

#include "fuzz/hostile/text_mutator.h"

namespace xla::fuzz {

// A .npy file: header and data that may not fit each other.
std::string MakeNpy(Random& random);

// A .npz file of some of these, with fields of the archive changed.
std::string MakeNpz(Random& random);

}  // namespace xla::fuzz

#endif  // FUZZ_HOSTILE_NPZ_MUTATOR_H_
