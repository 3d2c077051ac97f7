// SPDX-License-Identifier: Apache-2.0
#include "tools/plan_calibration.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "tools/device_runs.h"
#include "tools/roofline.h"
#include "xla/base/status_macros.h"
#include "xla/primitive_util.h"

namespace xla {
namespace {

// A program that applies `line` so often in a row: in it, $0 is the value before. All values have
// one shape.
std::string ChainText(const std::string& shape, const std::string& parameters,
                      const std::string& line, int length) {
  std::string text = absl::StrCat(
      "HloModule calibration\n"
      "sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }\n"
      "ENTRY main {\n  v0 = ",
      shape, " parameter(0)\n", parameters);
  for (int i = 0; i < length; ++i) {
    const std::string next = i + 1 == length ? "  ROOT v" : "  v";
    std::string operation = line;
    for (size_t at; (at = operation.find("$0")) != std::string::npos;)
      operation.replace(at, 2, absl::StrCat("v", i));
    absl::StrAppend(&text, next, i + 1, " = ", shape, " ", operation, "\n");
  }
  return absl::StrCat(text, "}\n");
}

constexpr char kProduct[] = "dot($0, v0), lhs_contracting_dims={1}, rhs_contracting_dims={0}";

class Calibration {
 public:
  Calibration(int64_t devices, runtime::ThreadPool& pool, ProgressLine& progress)
      : devices_(devices), pool_(pool), progress_(progress) {}

  absl::StatusOr<spmd::MachineDescription> Run() {
    machine_.name = absl::StrCat("this process, calibrated with ", devices_, " devices");
    machine_.levels.emplace_back();
    level().name = "process";
    level().size = spmd::kMaxDevices;
    level().width = 1;
    level().algorithms = spmd::CollectiveAlgorithms::kMeeting;
    machine_.memory_bytes =
        static_cast<double>(UsableMemoryBytes()) / static_cast<double>(devices_);
    XLA_RETURN_IF_ERROR(MeasureRates());
    XLA_RETURN_IF_ERROR(MeasureSharing());
    XLA_RETURN_IF_ERROR(MeasureCollectives());
    return machine_;
  }

 private:
  spmd::MachineLevel& level() { return machine_.levels[0]; }

  absl::StatusOr<double> Measure(const std::string& what, const std::string& text,
                                 int64_t devices) {
    progress_.Show(absl::StrCat("measuring ", what));
    return LeastRunSeconds(text, {.replicas = devices}, pool_, kBudget);
  }

  // Of one device. Short runs find quiet moments on a busy machine.
  absl::Status MeasureRates() {
    Roofline roofline(pool_);
    progress_.Show("measuring memory");
    XLA_ASSIGN_OR_RETURN(machine_.memory_rate, roofline.Bytes());
    // What a run of one device takes besides its steps.
    XLA_ASSIGN_OR_RETURN(idle_, Measure("launches", ChainText("f32[2]", "", "negate($0)", 1), 1));
    XLA_RETURN_IF_ERROR(MeasureCache());
    XLA_RETURN_IF_ERROR(MeasureProducts());
    return MeasureArithmetic();
  }

  // The rate of a small array, and the largest that has about that rate. What is read and what is
  // written are both counted; all devices share the cache.
  absl::Status MeasureCache() {
    constexpr int64_t kSmallest = int64_t{1} << 17, kLargest = int64_t{1} << 23;
    for (int64_t elements = kSmallest; elements <= kLargest; elements *= 2) {
      XLA_ASSIGN_OR_RETURN(
          const double seconds,
          Measure("caches", ChainText(absl::StrCat("f32[", elements, "]"), "", "negate($0)", 1),
                  1));
      const double bytes = 8.0 * static_cast<double>(elements), rate = bytes / Busy(seconds);
      machine_.cache_rate = std::max({machine_.cache_rate, rate, machine_.memory_rate});
      const double between = std::sqrt(machine_.cache_rate * machine_.memory_rate);
      // Between this size and the one before.
      const bool is_beyond = elements > kSmallest && rate < between;
      machine_.cache_bytes = bytes / static_cast<double>(devices_) / (is_beyond ? std::sqrt(2) : 1);
      if (is_beyond) break;
    }
    return absl::OkStatus();
  }

  absl::Status MeasureProducts() {
    constexpr int64_t kEdge = 256;
    for (const PrimitiveType type : {F32, F64, BF16}) {
      const std::string shape = absl::StrCat(primitive_util::LowercasePrimitiveTypeName(type), "[",
                                             kEdge, ",", kEdge, "]");
      XLA_ASSIGN_OR_RETURN(const double product,
                           Measure("products", ChainText(shape, "", kProduct, 1), 1));
      machine_.product_flops[type] = 2.0 * kEdge * kEdge * kEdge / Busy(product);
    }
    // Those of small matrices take the time of a step.
    constexpr int kSteps = 200, kSmallEdge = 24;
    XLA_ASSIGN_OR_RETURN(const double steps,
                         Measure("steps", ChainText("f32[24,24]", "", kProduct, kSteps), 1));
    const double flops = 2.0 * kSmallEdge * kSmallEdge * kSmallEdge;
    machine_.step = std::max(Busy(steps) / kSteps - flops / machine_.ProductFlops(F32), 0.0);
    return absl::OkStatus();
  }

  absl::Status MeasureArithmetic() {
    constexpr int kElements = 1 << 16, kOperations = 64, kFunctions = 8;
    const std::string shape = absl::StrCat("f32[", kElements, "]");
    std::string text =
        absl::StrCat("HloModule arithmetic\nENTRY main {\n  v0 = ", shape, " parameter(0)\n");
    for (int i = 0; i < kOperations / 2; ++i) {
      absl::StrAppend(&text, "  p", i, " = ", shape, " multiply(v", i, ", v0)\n  ",
                      i + 1 == kOperations / 2 ? "ROOT " : "", "v", i + 1, " = ", shape, " add(p",
                      i, ", v0)\n");
    }
    XLA_ASSIGN_OR_RETURN(const double arithmetic,
                         Measure("arithmetic", absl::StrCat(text, "}\n"), 1));
    machine_.vector_flops = static_cast<double>(kElements) * kOperations / Busy(arithmetic);
    // A cheap one and a dear one.
    double rates = 1;
    for (const char* function : {"exponential($0)", "tanh($0)"}) {
      XLA_ASSIGN_OR_RETURN(const double functions,
                           Measure("functions", ChainText(shape, "", function, kFunctions), 1));
      rates *= static_cast<double>(kElements) * kFunctions / Busy(functions);
    }
    machine_.transcendentals = std::sqrt(rates);
    return absl::OkStatus();
  }

  // Of a run of one device.
  double Busy(double seconds) const { return std::max(seconds - idle_, 1e-9); }

  // What devices get that work at the same time.
  absl::Status MeasureSharing() {
    XLA_ASSIGN_OR_RETURN(const double launch,
                         Measure("launches", ChainText("f32[2]", "", "negate($0)", 1), devices_));
    launch_ = launch;
    machine_.launch = launch / static_cast<double>(devices_);
    const auto share = [&](const std::string& what,
                           const std::string& text) -> absl::StatusOr<double> {
      XLA_ASSIGN_OR_RETURN(const double alone, Measure(what, text, 1));
      XLA_ASSIGN_OR_RETURN(const double together, Measure(what, text, devices_));
      const double shared =
          static_cast<double>(devices_) * (alone - idle_) / std::max(together - launch_, 1e-9);
      return std::clamp(shared, 0.05, static_cast<double>(devices_));
    };
    XLA_ASSIGN_OR_RETURN(level().shared_compute,
                         share("products at a time", ChainText("f32[256,256]", "", kProduct, 4)));
    XLA_ASSIGN_OR_RETURN(level().shared_memory,
                         share("memory at a time", ChainText("f32[4194304]", "", "negate($0)", 1)));
    return absl::OkStatus();
  }

  // Seconds of one collective of the chain.
  absl::StatusOr<double> Collective(const std::string& shape, const std::string& line, int length) {
    XLA_ASSIGN_OR_RETURN(const double seconds,
                         Measure("collectives", ChainText(shape, "", line, length), devices_));
    return std::max((seconds - launch_) / length, 1e-9);
  }

  absl::Status MeasureCollectives() {
    const auto p = static_cast<double>(devices_);
    constexpr int kChain = 64;
    const std::string sum = "all-reduce($0), replica_groups={}, to_apply=sum";
    XLA_ASSIGN_OR_RETURN(const double small, Collective("f32[2]", sum, kChain));
    level().alpha = small / (p - 1);
    // Moved whole, or in parts: copies of p times the array.
    constexpr int64_t kElements = int64_t{1} << 20;
    const double bytes = 4.0 * kElements;
    const std::string exchange = "all-to-all($0), dimensions={0}, replica_groups={}";
    std::string pairs;
    for (int64_t d = 0; d < devices_; ++d)
      absl::StrAppend(&pairs, d == 0 ? "" : ",", "{", d, ",", (d + 1) % devices_, "}");
    XLA_ASSIGN_OR_RETURN(
        const double whole,
        Collective(absl::StrCat("f32[", kElements, "]"),
                   absl::StrCat("collective-permute($0), source_target_pairs={", pairs, "}"), 4));
    XLA_ASSIGN_OR_RETURN(
        const double parts,
        Collective(absl::StrCat("f32[", devices_, ",", kElements / devices_, "]"), exchange, 4));
    constexpr int64_t kFew = int64_t{1} << 14;
    XLA_ASSIGN_OR_RETURN(const double cached,
                         Collective(absl::StrCat("f32[", devices_, ",", kFew, "]"), exchange, 16));
    level().cached_beta = std::max(cached - small, 1e-9) / (p * p * 4.0 * kFew);
    const double copied = std::max((whole + parts) / 2 - small, 1e-9);
    level().beta = copied / (p * bytes);
    level().cached_beta = std::min(level().cached_beta, level().beta);
    XLA_ASSIGN_OR_RETURN(const double large,
                         Collective(absl::StrCat("f32[", kElements, "]"), sum, 4));
    const double combining = (large - small) / ((p - 1) * bytes) - level().beta;
    // Not below a hundredth of a copy: sums take something.
    level().gamma = std::max(combining, level().beta / 100);
    return absl::OkStatus();
  }

  static constexpr double kBudget = 0.5;  // seconds for each program
  const int64_t devices_;
  runtime::ThreadPool& pool_;
  ProgressLine& progress_;
  spmd::MachineDescription machine_;
  double idle_ = 0, launch_ = 0;  // seconds of an empty run, of one device and of all
};

}  // namespace

absl::StatusOr<spmd::MachineDescription> CalibrateMachine(int64_t devices,
                                                          runtime::ThreadPool& pool,
                                                          ProgressLine& progress) {
  return Calibration(devices, pool, progress).Run();
}

}  // namespace xla
