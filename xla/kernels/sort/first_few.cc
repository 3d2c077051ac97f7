// SPDX-License-Identifier: Apache-2.0
#include "xla/kernels/sort/first_few.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>

#include "xla/kernels/forms.h"
#include "xla/kernels/sort/key_encoding.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla::kernels {
namespace {

// Words of this many elements are computed at once, of one row or of several.
constexpr int64_t kBlock = 1024;

// Returns the position of the least word that is not before word `last` at `last_position`, in the
// order of words and then positions.
template <typename Word>
int64_t NextPosition(const Word* words, int64_t count, Word last, int64_t last_position) {
  int64_t best = 0;
  Word least = std::numeric_limits<Word>::max();
  bool found = false;
  for (int64_t i = 0; i < count; ++i) {
    const bool follows = words[i] > last || (words[i] == last && i > last_position);
    if (follows && (words[i] < least || !found)) {
      least = words[i];
      best = i;
      found = true;
    }
  }
  return best;
}

template <typename Word>
int64_t FirstPosition(const Word* words, int64_t count) {
  // Two independent chains of comparisons, of the even and the odd positions.
  int64_t best[2] = {0, std::min<int64_t>(1, count - 1)};
  Word least[2] = {words[best[0]], words[best[1]]};
  for (int64_t i = 0; i + 1 < count; i += 2) {
    for (int64_t j = 0; j < 2; ++j) {
      const bool is_less = words[i + j] < least[j];
      least[j] = is_less ? words[i + j] : least[j];
      best[j] = is_less ? i + j : best[j];
    }
  }
  if (count % 2 == 1 && words[count - 1] < least[0]) {
    least[0] = words[count - 1];
    best[0] = count - 1;
  }
  if (least[0] != least[1]) return least[0] < least[1] ? best[0] : best[1];
  return std::min(best[0], best[1]);
}

template <typename Word>
class FirstFewKernel final : public Kernel {
 public:
  explicit FirstFewKernel(const TopKSpec& spec) : spec_(spec) {}

  int64_t ScratchBytes(int32_t) const override { return 0; }
  absl::Status Run(const KernelCall& call) const override {
    constexpr int64_t kTaskElements = int64_t{1} << 14;
    const int64_t rows = std::max<int64_t>(1, kTaskElements / spec_.length);
    return RunTasks(*call.host, CeilOfRatio(spec_.rows, rows), nullptr, 0,
                    [&](int64_t index, Task&) {
                      SelectRows(call, index * rows, std::min(spec_.rows, (index + 1) * rows));
                    });
  }

 private:
  void SelectRows(const KernelCall& call, int64_t begin, int64_t end) const {
    const int64_t bytes = primitive_util::ByteWidth(spec_.type), length = spec_.length;
    const int64_t at_once = kBlock / length;
    const char* in = static_cast<const char*>(call.buffers[0]);
    for (int64_t first = begin; first < end; first += at_once) {
      const int64_t rows = std::min(at_once, end - first);
      Word words[kBlock];
      OrderedWords(spec_.type, SortOrder::kTotal, spec_.largest, in + first * length * bytes, 1,
                   rows * length, words);
      for (int64_t row = 0; row < rows; ++row) {
        SelectRow(call, first + row, in + (first + row) * length * bytes, words + row * length,
                  bytes);
      }
    }
  }

  void SelectRow(const KernelCall& call, int64_t row, const char* in, const Word* words,
                 int64_t bytes) const {
    char* values = static_cast<char*>(call.buffers[1]) + row * spec_.k * bytes;
    int32_t* positions = static_cast<int32_t*>(call.buffers[2]) + row * spec_.k;
    int64_t position = 0;
    for (int64_t i = 0; i < spec_.k; ++i) {
      position = i == 0 ? FirstPosition(words, spec_.length)
                        : NextPosition(words, spec_.length, words[position], position);
      positions[i] = static_cast<int32_t>(position);
      std::memcpy(values + i * bytes, in + position * bytes, static_cast<size_t>(bytes));
    }
  }

  const TopKSpec spec_;
};

}  // namespace

double FirstFewCost(const TopKSpec& spec) {
  if (spec.length == 0 || spec.length > kBlock || spec.k == 0) return kDoesNotFit;
  constexpr double kRow = 15, kWord = 0.35, kFirst = 0.35, kPlace = 12, kOther = 1.6;
  const auto n = static_cast<double>(spec.length), k = static_cast<double>(spec.k);
  return static_cast<double>(spec.rows) *
         (kRow + n * (kWord + kFirst + (k - 1) * kOther) + k * kPlace);
}

std::unique_ptr<const Kernel> MakeFirstFew(const TopKSpec& spec) {
  if (primitive_util::BitWidth(spec.type) <= 32)
    return std::make_unique<FirstFewKernel<uint32_t>>(spec);
  return std::make_unique<FirstFewKernel<uint64_t>>(spec);
}

}  // namespace xla::kernels
