// SPDX-License-Identifier: Apache-2.0
// The narrow floating-point types against ml_dtypes' tables and against the definition of rounding
// to nearest even.
#include "xla/types/mini_float.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/types/span.h"
#include "xla/types.h"

namespace xla {
namespace {

struct RoundingDigest {
  const char* type;
  uint64_t digest;
};
#include "tests/base/mini_float_tables.inc"

uint64_t SplitMix64(uint64_t i) {
  uint64_t z = i * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// As in scripts/gen_float_tables.py.
std::vector<uint32_t> DigestInputs() {
  std::set<uint32_t> mantissas;
  for (int s = 16; s < 23; ++s) {
    for (uint32_t m = 0; m < 1u << (23 - s); ++m) {
      for (uint32_t d : {0u, 1u, ~0u}) mantissas.insert(((m << s) + d) & 0x7fffff);
    }
  }
  std::vector<uint32_t> bits;
  for (uint32_t exponent = 0; exponent < 512; ++exponent) {
    for (uint32_t m : mantissas) bits.push_back(exponent << 23 | m);
  }
  for (uint64_t i = 1; i <= 1u << 21; ++i)
    bits.push_back(static_cast<uint32_t>(SplitMix64(i) >> 32));
  for (uint32_t& b : bits) {
    if ((b & 0x7fffffff) > 0x7f800000) b = (b & 0x80000000) | 0x7fc00000;
  }
  return bits;
}

class Digest {
 public:
  void Add(uint64_t word) {
    uint64_t w = (word + 1) * 0x9e3779b97f4a7c15u;
    sum_ += (w ^ (w >> 29)) * ++count_;
  }
  uint64_t value() const { return sum_; }

 private:
  uint64_t sum_ = 0;
  uint64_t count_ = 0;
};

uint64_t DigestOf(absl::Span<const RoundingDigest> digests, const std::string& type) {
  for (const RoundingDigest& each : digests) {
    if (each.type == type) return each.digest;
  }
  ADD_FAILURE() << "no digest for " << type;
  return 0;
}

// The checks give the first violation in words, or nothing; so little is instantiated for each
// type.
template <typename T>
std::string At(const char* what, double value) {
  return absl::StrFormat("%s at %.17g (exponent %d, mantissa %d bits)", what, value,
                         T::kExponentBits, T::kMantissaBits);
}

template <typename T>
std::vector<T> AllCodes() {
  std::vector<T> values;
  for (uint32_t code = 0; code < 1u << T::kTotalBits; ++code) {
    values.push_back(T::FromBits(static_cast<typename T::Bits>(code)));
  }
  return values;
}

template <typename T>
std::vector<T> FiniteValues() {
  std::vector<T> values;
  for (T value : AllCodes<T>()) {
    if (isfinite(value)) values.push_back(value);
  }
  std::stable_sort(values.begin(), values.end());
  return values;
}

template <typename T>
std::string CheckTable(absl::Span<const uint32_t> table) {
  for (T value : AllCodes<T>()) {
    if (std::bit_cast<uint32_t>(static_cast<float>(value)) != table[value.bits()])
      return At<T>("wrong value", value.bits());
  }
  return "";
}

template <typename T>
uint64_t WideningDigest() {
  Digest digest;
  for (T value : AllCodes<T>()) digest.Add(std::bit_cast<uint32_t>(static_cast<float>(value)));
  return digest.value();
}

template <typename T>
uint64_t RoundingDigestOf(const std::vector<uint32_t>& inputs) {
  Digest digest;
  for (uint32_t bits : inputs) {
    // ml_dtypes rounds float's subnormals to this format up, not to nearest; the script leaves them
    // out.
    if (std::is_same_v<T, float8_e8m0fnu> && (bits & 0x7f800000) == 0) bits = 0x3f800000;
    digest.Add(T(std::bit_cast<float>(bits)).bits());
  }
  return digest.value();
}

template <typename T>
std::string CheckRoundTrip() {
  for (T value : AllCodes<T>()) {
    const T from_float = T(static_cast<float>(value));
    const T from_double = T(static_cast<double>(value));
    const bool same = isnan(value)
                          ? isnan(from_float) && isnan(from_double)
                          : from_float.bits() == value.bits() && from_double.bits() == value.bits();
    if (!same) return At<T>("does not come back", static_cast<double>(value));
  }
  return "";
}

// Doubles a hair to either side of the middle between neighbors: rounding to float first would
// make them ties.
template <typename T>
std::string CheckDoublesRoundOnce() {
  const std::vector<T> values = FiniteValues<T>();
  for (size_t i = 0; i + 1 < values.size(); ++i) {
    const T low = values[i];
    const T high = values[i + 1];
    if (low == high) continue;  // the two zeros
    // Of scales the least is only for itself: what is greater becomes the next one.
    if (!T::kHasZero && i == 0) {
      if (T(std::nextafter(static_cast<double>(low), HUGE_VAL)) != high) {
        return At<T>("above the least", static_cast<double>(low));
      }
      continue;
    }
    const double middle = (static_cast<double>(low) + static_cast<double>(high)) / 2;
    if (T(std::nextafter(middle, -HUGE_VAL)) != low) return At<T>("below the middle", middle);
    if (T(std::nextafter(middle, HUGE_VAL)) != high) return At<T>("above the middle", middle);
    const T tie = T(middle);
    const bool right = T::kFloatKind == MiniFloatKind::kScale
                           ? tie == high
                           : (tie == low || tie == high) && (tie.bits() & 1) == 0;
    if (!right) return At<T>("tie", middle);
  }
  return "";
}

// Just above the middle of two values, by one in 2^62: a double does not hold it.
template <typename T>
std::string CheckIntegersRoundOnce() {
  for (int shift : {0, 1, 2, 3, 5, 8}) {
    const uint64_t tie = ((uint64_t{2} << T::kMantissaBits) + 1) << (60 - T::kMantissaBits - shift);
    const double next = std::nextafter(static_cast<double>(tie), HUGE_VAL);
    if (T(tie).bits() != T(static_cast<double>(tie)).bits()) return At<T>("tie", next);
    if (T(tie + 1).bits() != T(next).bits()) return At<T>("unsigned", next);
    if (T(static_cast<int64_t>(tie + 1)).bits() != T(next).bits()) return At<T>("signed", next);
    if (T(-static_cast<int64_t>(tie + 1)).bits() != T(-next).bits()) return At<T>("negative", next);
  }
  return static_cast<float>(T(1)) == 1.0f && static_cast<int>(T(2)) == 2 ? "" : At<T>("small", 1);
}

template <typename T>
std::string CheckLimits() {
  using Limits = std::numeric_limits<T>;
  const std::vector<T> values = FiniteValues<T>();
  if (Limits::lowest() != values.front() || (Limits::max)() != values.back())
    return At<T>("ends", 0);
  const auto positive =
      std::find_if(values.begin(), values.end(), [](T v) { return static_cast<float>(v) > 0; });
  if (Limits::denorm_min() != *positive) return At<T>("denorm_min", 0);
  const double max = static_cast<double>((Limits::max)());
  if (static_cast<double>((Limits::min)()) != std::ldexp(1.0, Limits::min_exponent - 1))
    return At<T>("min", 0);
  if (max >= std::ldexp(1.0, Limits::max_exponent) ||
      max < std::ldexp(1.0, Limits::max_exponent - 1)) {
    return At<T>("max_exponent", max);
  }
  if (static_cast<double>(Limits::epsilon()) != std::ldexp(1.0, -T::kMantissaBits))
    return At<T>("epsilon", 0);
  if (isnan(Limits::quiet_NaN()) != Limits::has_quiet_NaN) return At<T>("quiet_NaN", 0);
  return isinf(Limits::infinity()) == Limits::has_infinity ? "" : At<T>("infinity", 0);
}

template <typename T>
std::string CheckAll() {
  return CheckRoundTrip<T>() + CheckDoublesRoundOnce<T>() + CheckIntegersRoundOnce<T>() +
         CheckLimits<T>();
}

TEST(MiniFloat, EveryCodeHasMlDtypesValue) {
  EXPECT_EQ(CheckTable<float8_e3m4>(k_float8_e3m4), "");
  EXPECT_EQ(CheckTable<float8_e4m3>(k_float8_e4m3), "");
  EXPECT_EQ(CheckTable<float8_e4m3fn>(k_float8_e4m3fn), "");
  EXPECT_EQ(CheckTable<float8_e4m3fnuz>(k_float8_e4m3fnuz), "");
  EXPECT_EQ(CheckTable<float8_e4m3b11fnuz>(k_float8_e4m3b11fnuz), "");
  EXPECT_EQ(CheckTable<float8_e5m2>(k_float8_e5m2), "");
  EXPECT_EQ(CheckTable<float8_e5m2fnuz>(k_float8_e5m2fnuz), "");
  EXPECT_EQ(CheckTable<float8_e8m0fnu>(k_float8_e8m0fnu), "");
  EXPECT_EQ(CheckTable<float6_e2m3fn>(k_float6_e2m3fn), "");
  EXPECT_EQ(CheckTable<float6_e3m2fn>(k_float6_e3m2fn), "");
  EXPECT_EQ(CheckTable<float4_e2m1fn>(k_float4_e2m1fn), "");
  EXPECT_EQ(WideningDigest<bfloat16>(), DigestOf(kWideningDigests, "bfloat16"));
  EXPECT_EQ(WideningDigest<half>(), DigestOf(kWideningDigests, "float16"));
}

TEST(MiniFloat, RoundsFloatsAsMlDtypes) {
  const std::vector<uint32_t> inputs = DigestInputs();
  EXPECT_EQ(RoundingDigestOf<float8_e3m4>(inputs), DigestOf(kRoundingDigests, "float8_e3m4"));
  EXPECT_EQ(RoundingDigestOf<float8_e4m3>(inputs), DigestOf(kRoundingDigests, "float8_e4m3"));
  EXPECT_EQ(RoundingDigestOf<float8_e4m3fn>(inputs), DigestOf(kRoundingDigests, "float8_e4m3fn"));
  EXPECT_EQ(RoundingDigestOf<float8_e4m3fnuz>(inputs),
            DigestOf(kRoundingDigests, "float8_e4m3fnuz"));
  EXPECT_EQ(RoundingDigestOf<float8_e4m3b11fnuz>(inputs),
            DigestOf(kRoundingDigests, "float8_e4m3b11fnuz"));
  EXPECT_EQ(RoundingDigestOf<float8_e5m2>(inputs), DigestOf(kRoundingDigests, "float8_e5m2"));
  EXPECT_EQ(RoundingDigestOf<float8_e5m2fnuz>(inputs),
            DigestOf(kRoundingDigests, "float8_e5m2fnuz"));
  EXPECT_EQ(RoundingDigestOf<float8_e8m0fnu>(inputs), DigestOf(kRoundingDigests, "float8_e8m0fnu"));
  EXPECT_EQ(RoundingDigestOf<float6_e2m3fn>(inputs), DigestOf(kRoundingDigests, "float6_e2m3fn"));
  EXPECT_EQ(RoundingDigestOf<float6_e3m2fn>(inputs), DigestOf(kRoundingDigests, "float6_e3m2fn"));
  EXPECT_EQ(RoundingDigestOf<float4_e2m1fn>(inputs), DigestOf(kRoundingDigests, "float4_e2m1fn"));
  EXPECT_EQ(RoundingDigestOf<bfloat16>(inputs), DigestOf(kRoundingDigests, "bfloat16"));
  EXPECT_EQ(RoundingDigestOf<half>(inputs), DigestOf(kRoundingDigests, "float16"));
}

// Every code comes back from float and double; doubles and integers round once; numeric_limits name
// the ends.
TEST(MiniFloat, HoldsTheRulesInEveryFormat) {
  EXPECT_EQ(CheckAll<float8_e3m4>(), "");
  EXPECT_EQ(CheckAll<float8_e4m3>(), "");
  EXPECT_EQ(CheckAll<float8_e4m3fn>(), "");
  EXPECT_EQ(CheckAll<float8_e4m3fnuz>(), "");
  EXPECT_EQ(CheckAll<float8_e4m3b11fnuz>(), "");
  EXPECT_EQ(CheckAll<float8_e5m2>(), "");
  EXPECT_EQ(CheckAll<float8_e5m2fnuz>(), "");
  EXPECT_EQ(CheckAll<float8_e8m0fnu>(), "");
  EXPECT_EQ(CheckAll<float6_e2m3fn>(), "");
  EXPECT_EQ(CheckAll<float6_e3m2fn>(), "");
  EXPECT_EQ(CheckAll<float4_e2m1fn>(), "");
  EXPECT_EQ(CheckAll<bfloat16>(), "");
  EXPECT_EQ(CheckAll<half>(), "");
}

TEST(MiniFloat, DecimalDigits) {
  EXPECT_EQ(std::numeric_limits<half>::digits10, 3);
  EXPECT_EQ(std::numeric_limits<half>::max_digits10, 5);
  EXPECT_EQ(std::numeric_limits<bfloat16>::digits10, 2);
  EXPECT_EQ(std::numeric_limits<bfloat16>::max_digits10, 4);
  EXPECT_EQ(std::numeric_limits<float8_e5m2>::max_digits10, 2);
  EXPECT_EQ(std::numeric_limits<float8_e4m3fn>::max_digits10, 3);
  EXPECT_EQ(std::numeric_limits<float8_e3m4>::max_digits10, 3);
  EXPECT_EQ(std::numeric_limits<float8_e8m0fnu>::max_digits10, 2);
  EXPECT_EQ(std::numeric_limits<float4_e2m1fn>::max_digits10, 2);
}

TEST(MiniFloat, OverflowGoesWhereTheFormatSays) {
  EXPECT_TRUE(isinf(half(65520.0f)));
  EXPECT_EQ(static_cast<float>(half(65519.0f)), 65504.0f);
  EXPECT_TRUE(isinf(float8_e5m2(61440.0f)));
  EXPECT_TRUE(isnan(float8_e4m3fn(465.0f)));
  EXPECT_EQ(static_cast<float>(float8_e4m3fn(464.0f)), 448.0f);
  EXPECT_TRUE(isnan(float8_e4m3fnuz(248.0f)));
  EXPECT_EQ(static_cast<float>(float4_e2m1fn(1e9f)), 6.0f);
  EXPECT_EQ(static_cast<float>(float6_e3m2fn(-INFINITY)), -28.0f);
  EXPECT_TRUE(isnan(float8_e8m0fnu(-1.0f)));
  EXPECT_TRUE(isnan(float8_e8m0fnu(0.0f)));
}

TEST(MiniFloat, ZerosAndNaNsKeepTheirSignWhereTheFormatHasOne) {
  EXPECT_EQ(half(-0.0f).bits(), 0x8000);
  EXPECT_EQ(float8_e4m3fnuz(-0.0f).bits(), 0);
  EXPECT_EQ(bfloat16(-NAN).bits(), 0xffc0);
  EXPECT_EQ(half(NAN).bits(), 0x7e00);
  EXPECT_EQ(float8_e5m2fnuz(NAN).bits(), 0x80);
  EXPECT_TRUE(std::signbit(static_cast<float>(float8_e5m2fnuz(NAN))));
}

TEST(MiniFloat, ArithmeticRoundsTheFloatResult) {
  EXPECT_EQ(half(1.0f) + half(0.0009765625f), half(1.0009765625f));
  EXPECT_EQ(bfloat16(256.0f) + bfloat16(1.0f), bfloat16(256.0f));
  EXPECT_EQ(-half(2.0f), half(-2.0f));
  EXPECT_LT(half(-1.0f), half(0.5f));
  EXPECT_NE(half(NAN), half(NAN));
  half sum(1.0f);
  sum += half(2.0f);
  sum *= half(3.0f);
  EXPECT_EQ(static_cast<float>(sum), 9.0f);
}

TEST(MiniFloat, ConvertsAtCompileTime) {
  static_assert(half(1.5f).bits() == 0x3e00);
  static_assert(bfloat16(1.0 / 3).bits() == 0x3eab);
  static_assert(static_cast<float>(float8_e4m3fn::FromBits(0x7e)) == 448.0f);
}

}  // namespace
}  // namespace xla
