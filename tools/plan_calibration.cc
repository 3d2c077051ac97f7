// SPDX-License-Identifier: Apache-2.0
#include "tools/plan_calibration.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
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
constexpr char kSum[] = "all-reduce($0), replica_groups={}, to_apply=sum";

// The program with a small collective after its last value, of this shape.
std::string WithMeeting(std::string text, const std::string& shape) {
  const size_t root = text.rfind("ROOT ");
  text.erase(root, 5);
  const std::string last = text.substr(root, text.find(' ', root) - root);
  const bool is_matrix = shape.find(',') != std::string::npos;
  const std::string few = is_matrix ? "f32[1,2]" : "f32[2]";
  text.erase(text.rfind('}'));
  return absl::StrCat(text, "  few = ", few, " slice(", last, "), slice={",
                      is_matrix ? "[0:1], " : "", "[0:2]}\n  met = ", few,
                      " all-reduce(few), replica_groups={}, to_apply=sum\n  ROOT both = (", shape,
                      ", ", few, ") tuple(", last, ", met)\n}\n");
}

class Calibration {
 public:
  Calibration(int64_t devices, const RunPlace& place, ProgressLine& progress)
      : devices_(devices), place_(place), progress_(progress) {}

  absl::StatusOr<spmd::MachineDescription> Run() {
    machine_.name = has_processes()
                        ? absl::StrCat("this host, calibrated with ", devices_, " processes")
                        : absl::StrCat("this process, calibrated with ", devices_, " devices");
    machine_.levels.emplace_back();
    level().name = has_processes() ? "host" : "process";
    level().size = spmd::kMaxDevices;
    level().width = 1;
    level().algorithms = has_processes() ? spmd::CollectiveAlgorithms::kDirect
                                         : spmd::CollectiveAlgorithms::kMeeting;
    machine_.memory_bytes =
        static_cast<double>(UsableMemoryBytes()) / static_cast<double>(devices_);
    // The other processes wait in the first run of all devices.
    if (IsFirst()) XLA_RETURN_IF_ERROR(MeasureRates());
    XLA_RETURN_IF_ERROR(MeasureLaunches());
    XLA_RETURN_IF_ERROR(MeasureSharing());
    XLA_RETURN_IF_ERROR(has_processes() ? MeasureMessages() : MeasureCollectives());
    return machine_;
  }

 private:
  spmd::MachineLevel& level() { return machine_.levels[0]; }
  bool has_processes() const { return place_.job != nullptr; }
  bool IsFirst() const { return !has_processes() || place_.job->self() == 0; }

  absl::StatusOr<double> Measure(const std::string& what, const std::string& text,
                                 int64_t devices) {
    progress_.Show(absl::StrCat("measuring ", what));
    if (devices > 1) return LeastRunSeconds(text, {.replicas = devices}, place_, kBudget);
    // Process 0 alone; what it finds is of no use to the others.
    if (!IsFirst()) return kBudget;
    return LeastRunSeconds(text, {}, {.pool = place_.pool}, kBudget);
  }

  // Of one device. Short runs find quiet moments on a busy machine.
  absl::Status MeasureRates() {
    Roofline roofline(*place_.pool);
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
    constexpr int64_t kEdge = 512;
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

  // An empty run of all devices. Processes begin and end at the same time only where they exchange
  // something: one small collective then, whose own time is what each of a chain of them takes.
  absl::Status MeasureLaunches() {
    if (has_processes()) {
      constexpr int kChain = 65;
      XLA_ASSIGN_OR_RETURN(const double one,
                           Measure("launches", ChainText("f32[2]", "", kSum, 1), devices_));
      XLA_ASSIGN_OR_RETURN(const double many,
                           Measure("collectives", ChainText("f32[2]", "", kSum, kChain), devices_));
      small_ = std::max((many - one) / (kChain - 1), 1e-9);
      launch_ = std::max(one - small_, 0.0);
    } else {
      XLA_ASSIGN_OR_RETURN(launch_,
                           Measure("launches", ChainText("f32[2]", "", "negate($0)", 1), devices_));
    }
    machine_.launch = launch_ / static_cast<double>(devices_);
    return absl::OkStatus();
  }

  // What devices get that work at the same time.
  absl::Status MeasureSharing() {
    const auto share = [&](const std::string& what, const std::string& shape,
                           const std::string& line, int length) -> absl::StatusOr<double> {
      const std::string text = ChainText(shape, "", line, length);
      XLA_ASSIGN_OR_RETURN(const double alone, Measure(what, text, 1));
      XLA_ASSIGN_OR_RETURN(
          const double together,
          Measure(what, has_processes() ? WithMeeting(text, shape) : text, devices_));
      const double shared = static_cast<double>(devices_) * (alone - idle_) /
                            std::max(together - launch_ - small_, 1e-9);
      return std::clamp(shared, 0.05, static_cast<double>(devices_));
    };
    XLA_ASSIGN_OR_RETURN(level().shared_compute,
                         share("products at a time", "f32[512,512]", kProduct, 2));
    XLA_ASSIGN_OR_RETURN(level().shared_memory,
                         share("memory at a time", "f32[4194304]", "negate($0)", 1));
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
    XLA_ASSIGN_OR_RETURN(const double small, Collective("f32[2]", kSum, kChain));
    level().alpha = small / (p - 1);
    // Moved whole, or in parts: copies of p times the array.
    constexpr int64_t kElements = int64_t{1} << 20;
    const double bytes = 4.0 * kElements;
    XLA_ASSIGN_OR_RETURN(const double whole, Permute(kElements));
    XLA_ASSIGN_OR_RETURN(const double parts, Exchange(kElements / devices_, 4));
    constexpr int64_t kFew = int64_t{1} << 14;
    XLA_ASSIGN_OR_RETURN(const double cached, Exchange(kFew, 16));
    level().cached_beta = std::max(cached - small, 1e-9) / (p * p * 4.0 * kFew);
    const double copied = std::max((whole + parts) / 2 - small, 1e-9);
    level().beta = copied / (p * bytes);
    level().cached_beta = std::min(level().cached_beta, level().beta);
    XLA_ASSIGN_OR_RETURN(const double large,
                         Collective(absl::StrCat("f32[", kElements, "]"), kSum, 4));
    const double combining = (large - small) / ((p - 1) * bytes) - level().beta;
    // Not below a hundredth of a copy: sums take something.
    level().gamma = std::max(combining, level().beta / 100);
    return absl::OkStatus();
  }

  // Between processes, which copy at the same time.
  absl::Status MeasureMessages() {
    const auto p = static_cast<double>(devices_);
    level().alpha = small_ / (p - 1);
    level().width = std::clamp(level().shared_memory, 1.0, p);
    const double sharing = p / level().width;
    constexpr int64_t kElements = int64_t{1} << 20, kFew = int64_t{1} << 14;
    const double bytes = 4.0 * kElements, part = bytes * (p - 1) / p;  // of what a device receives
    XLA_ASSIGN_OR_RETURN(const double whole, Permute(kElements));
    XLA_ASSIGN_OR_RETURN(const double parts, Exchange(kElements / devices_, 4));
    const double messages = (std::min(2.0, p - 1) + p - 1) * level().alpha;
    level().beta = std::max(whole + parts - messages, 1e-9) / ((bytes + part) * sharing);
    XLA_ASSIGN_OR_RETURN(const double cached, Exchange(kFew, 16));
    level().cached_beta =
        std::min(level().beta, std::max(cached - small_, 1e-9) / ((p - 1) * 4.0 * kFew * sharing));
    XLA_ASSIGN_OR_RETURN(const double large,
                         Collective(absl::StrCat("f32[", kElements, "]"), kSum, 4));
    // Two rounds, of parts.
    const double combining = (large - 2 * small_) / (part * sharing) - 2 * level().beta;
    level().gamma = std::max(combining, level().beta / 100);
    return absl::OkStatus();
  }

  // Each device sends what it has to the next.
  absl::StatusOr<double> Permute(int64_t elements) {
    std::string pairs;
    for (int64_t d = 0; d < devices_; ++d)
      absl::StrAppend(&pairs, d == 0 ? "" : ",", "{", d, ",", (d + 1) % devices_, "}");
    return Collective(absl::StrCat("f32[", elements, "]"),
                      absl::StrCat("collective-permute($0), source_target_pairs={", pairs, "}"), 4);
  }

  // Each device sends so many elements to each other.
  absl::StatusOr<double> Exchange(int64_t elements, int length) {
    return Collective(absl::StrCat("f32[", devices_, ",", elements, "]"),
                      "all-to-all($0), dimensions={0}, replica_groups={}", length);
  }

  static constexpr double kBudget = 0.5;  // seconds for each program
  const int64_t devices_;
  const RunPlace place_;
  ProgressLine& progress_;
  spmd::MachineDescription machine_;
  double idle_ = 0, launch_ = 0;  // seconds of an empty run, of one device and of all
  double small_ = 0;              // of a small collective, between processes
};

}  // namespace

absl::StatusOr<spmd::MachineDescription> CalibrateMachine(int64_t devices, const RunPlace& place,
                                                          ProgressLine& progress) {
  return Calibration(devices, place, progress).Run();
}

}  // namespace xla
