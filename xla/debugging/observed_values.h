// SPDX-License-Identifier: Apache-2.0
// Values of the instructions of a program while the interpreter runs it: where numbers cease to be
// finite, records, statistics.
#ifndef XLA_DEBUGGING_OBSERVED_VALUES_H_
#define XLA_DEBUGGING_OBSERVED_VALUES_H_

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/interpreter/interpreter.h"
#include "xla/literal.h"

namespace xla {

// What the elements of arrays of one instruction are, of all its evaluations together; of tuples,
// of all their arrays. Complex numbers count as two numbers; predicates as 0 and 1.
struct ValueStatistics {
  int64_t evaluations = 0, elements = 0;
  int64_t nans = 0, infinities = 0, zeros = 0, subnormals = 0;
  double least = 0, most = 0, mean = 0;  // of the finite ones; 0 if there are none

  // Adds the elements of a value.
  absl::Status Add(const LiteralSlice& value);
};

// Where a value has a number that is NaN, or infinite.
struct NonFinite {
  ShapeIndex leaf;
  std::vector<int64_t> index;
  std::string value;  // "nan", "-inf"
};
enum class NonFiniteKind : uint8_t { kNan, kInfinity };
// The first one, in row-major order.
absl::StatusOr<std::optional<NonFinite>> FindNonFinite(const LiteralSlice& value,
                                                       NonFiniteKind kind);

// An instruction with such a result although none of its operands has one.
struct NonFiniteOrigin {
  std::string instruction, computation;  // names
  std::string text;                      // in short
  std::string op_name, source;           // of its metadata, "model.py:12"; may be empty
  int64_t device = 0;
  int64_t evaluation = 0;  // of this instruction, from 1: in a loop, the trip
  NonFinite element;
  std::vector<Literal> operands;
};

// Stops the run at the first instruction that makes a NaN of numbers, and remembers the first that
// makes an infinity of finite numbers, which may be where the NaN comes from. What only moves
// values is no origin, and neither are parameters and constants.
class NonFiniteSearch {
 public:
  // Whether the run stops at an infinity, too.
  explicit NonFiniteSearch(bool stops_at_infinity) : stops_at_infinity_(stops_at_infinity) {}
  std::function<absl::Status(const Observation&)> Observer();
  // After the run, which ends with ABORTED if it was stopped.
  const std::optional<NonFiniteOrigin>& nan() const { return nan_; }
  const std::optional<NonFiniteOrigin>& infinity() const { return infinity_; }

 private:
  absl::Status Observe(const Observation& observation);

  const bool stops_at_infinity_;
  std::mutex mutex_;
  absl::flat_hash_map<std::string, int64_t> evaluations_;
  std::optional<NonFiniteOrigin> nan_, infinity_;
};

// Records values of the instructions that are selected, and statistics of all.
class ValueRecorder {
 public:
  // `is_selected`: by name; may be null.
  explicit ValueRecorder(std::function<bool(const std::string& name)> is_selected)
      : is_selected_(std::move(is_selected)) {}
  std::function<absl::Status(const Observation&)> Observer(bool with_statistics);

  // In order of evaluation, by name: "add.3", or "add.3@2" for the third evaluation of several;
  // arrays of tuples "sort.1.0", "sort.1.1"; names begin with "device1/" where several devices run.
  std::vector<std::pair<std::string, Literal>> TakeValues();
  struct Row {
    std::string instruction, text;
    ValueStatistics statistics;
  };
  // In order of first evaluation.
  std::vector<Row> TakeStatistics();

 private:
  struct Recorded {
    std::string name;
    int64_t device, evaluation;
    Literal value;
  };
  std::mutex mutex_;
  const std::function<bool(const std::string&)> is_selected_;
  std::map<std::pair<std::string, int64_t>, int64_t> evaluations_;
  std::vector<Recorded> values_;
  absl::flat_hash_map<std::string, size_t> row_of_;
  std::vector<Row> rows_;
};

}  // namespace xla

#endif  // XLA_DEBUGGING_OBSERVED_VALUES_H_
