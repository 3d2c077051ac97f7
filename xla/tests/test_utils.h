// SPDX-License-Identifier: Apache-2.0
// Arguments for trying a program, under XLA's include path and with its signatures.
#ifndef XLA_TESTS_TEST_UTILS_H_
#define XLA_TESTS_TEST_UTILS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <vector>

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/literal.h"
#include "xla/shape.h"

namespace xla {

using GetIndexKnownZeroesFn =
    std::function<std::optional<uint64_t>(const HloInstruction*, int64_t)>;

// Arguments for every parameter: small numbers, start indices within bounds, keys of sorts without
// duplicates. Without an engine the same on every call.
absl::StatusOr<std::vector<Literal>> MakeFakeArguments(
    const HloModule* module, bool pseudo_random = true, bool use_large_range = false,
    bool treat_gte_as_data_formatting = false,
    std::optional<int64_t> max_bits_of_precision = std::nullopt,
    std::minstd_rand0* engine = nullptr, bool generate_aligned_ds_indices = false,
    GetIndexKnownZeroesFn get_index_known_zeroes = nullptr);
absl::StatusOr<std::vector<Literal>> MakeFakeArguments(
    const HloModule* module, std::minstd_rand0* engine, bool use_large_range = false,
    bool treat_gte_as_data_formatting = false,
    std::optional<int64_t> max_bits_of_precision = std::nullopt);
// Positive, too, where a function of arithmetic on them needs it.
absl::StatusOr<std::vector<Literal>> MakeDataflowConstrainedArguments(
    const HloModule* module, std::minstd_rand0* engine = nullptr, bool use_large_range = false,
    std::optional<int64_t> max_bits_of_precision = std::nullopt,
    bool generate_aligned_ds_indices = false,
    GetIndexKnownZeroesFn get_index_known_zeroes = nullptr);
absl::StatusOr<Literal> MakeFakeLiteral(
    const Shape& shape, bool pseudo_random = true, bool use_large_range = false,
    std::optional<int64_t> max_bits_of_precision = std::nullopt);

}  // namespace xla

#endif  // XLA_TESTS_TEST_UTILS_H_
