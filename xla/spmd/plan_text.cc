// SPDX-License-Identifier: Apache-2.0
#include "xla/spmd/plan_text.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace xla::spmd {
namespace {

std::string Scaled(double value, double base, std::initializer_list<const char*> units) {
  const char* unit = *units.begin();
  for (const char* next : units) {
    unit = next;
    if (value < 999.5 || next == *(units.end() - 1)) break;
    value /= base;
  }
  const int digits = value >= 99.95 || value == 0 ? 0 : value >= 9.995 ? 1 : 2;
  return absl::StrFormat("%.*f %s", digits, value, unit);
}

std::string CountText(double value) { return Scaled(value, 1000, {"", "k", "M", "G", "T", "P"}); }

// "3 cats", "1.20 k cats".
std::string CountedText(double value, const char* noun) {
  std::string number = CountText(value);
  while (number.back() == ' ') number.pop_back();
  return absl::StrCat(number, " ", noun);
}

// Rows of cells: numbers to the right, the columns of `left` to the left.
class TextTable {
 public:
  TextTable(std::vector<std::string> header, std::vector<bool> left) : left_(std::move(left)) {
    rows_.push_back(std::move(header));
  }
  void Add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  void AppendTo(std::string& out) const {
    std::vector<size_t> widths(left_.size(), 0);
    for (const auto& row : rows_) {
      for (size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
    }
    for (const auto& row : rows_) {
      std::string line;
      for (size_t c = 0; c < row.size(); ++c) {
        const std::string space(widths[c] - row[c].size(), ' ');
        absl::StrAppend(&line, "  ", left_[c] ? "" : space, row[c], left_[c] ? space : "");
      }
      line.erase(line.find_last_not_of(' ') + 1);
      absl::StrAppend(&out, line, "\n");
    }
  }

 private:
  std::vector<std::vector<std::string>> rows_;
  std::vector<bool> left_;
};

std::string MeshText(const PlanMesh& mesh) {
  return absl::StrJoin(mesh, ",", [](std::string* out, const PlanAxis& axis) {
    absl::StrAppend(out, axis.name, "=", axis.size);
  });
}

std::string RunsText(double runs) { return absl::StrFormat("%.0f", runs); }

// Positions of the largest first; ties in their order.
template <typename T, typename Key>
std::vector<size_t> LargestFirst(const std::vector<T>& items, const Key& key) {
  std::vector<size_t> order(items.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return key(items[a]) > key(items[b]); });
  return order;
}

void AppendRest(size_t all, size_t shown, std::string& out) {
  if (all > shown) absl::StrAppend(&out, "  ", all - shown, " more (--rows)\n");
}

void AppendTimes(const Plan& plan, std::string& out) {
  const double stopped = std::max(plan.seconds - plan.launch - plan.computing, 0.0);
  TextTable table({"time of a step", PlanSecondsText(plan.seconds), "as written"},
                  {true, false, true});
  table.Add({"  computing", PlanSecondsText(plan.computing),
             absl::StrCat(CountText(plan.work.flops()), "flop, ",
                          CountedText(plan.work.transcendentals, "transcendental functions"), ", ",
                          PlanBytesText(plan.work.bytes), " of memory read and written")});
  table.Add({"  communicating", PlanSecondsText(plan.communicating),
             absl::StrCat(PlanSecondsText(stopped), " of it while the device waits")});
  if (plan.launch > 0) table.Add({"  launching", PlanSecondsText(plan.launch), ""});
  table.Add({"if all overlapped", PlanSecondsText(plan.overlapped),
             "every collective asynchronous, one stream each for computing and network"});
  table.Add({"longest chain", PlanSecondsText(plan.chain), "of steps that wait for each other"});
  table.AppendTo(out);
}

void AppendMemory(const Plan& plan, double capacity, std::string& out) {
  const MemoryPlan& memory = plan.memory;
  absl::StrAppend(&out, "\nmemory of a device: ", PlanBytesText(memory.peak()));
  if (capacity > 0) absl::StrAppend(&out, " of ", PlanBytesText(capacity));
  if (capacity > 0 && memory.peak() > capacity) absl::StrAppend(&out, ", which is too much");
  absl::StrAppend(&out, "\n  arguments ", PlanBytesText(memory.arguments), ", results ",
                  PlanBytesText(memory.results));
  if (memory.aliased > 0)
    absl::StrAppend(&out, " (", PlanBytesText(memory.aliased), " in arguments)");
  absl::StrAppend(&out, ", temporaries ", PlanBytesText(memory.temporaries), " (",
                  plan.memory_source, ")\n");
}

void AppendCollectives(const Plan& plan, size_t rows, std::string& out) {
  if (plan.collectives.empty()) {
    absl::StrAppend(&out, "\nno collectives\n");
    return;
  }
  std::vector<std::string> header = {"time", "alpha",     "beta", "gamma",   "hidden",
                                     "runs", "operation", "axes", "devices", "bytes out"};
  std::vector<bool> left = {false, false, false, false, false, false, true, true, false, false};
  for (size_t l = 1; l < plan.levels.size(); ++l) {
    header.push_back(absl::StrCat("by ", plan.levels[l]));
    left.push_back(false);
  }
  for (const char* name : {"algorithm", "name", "source"}) {
    header.emplace_back(name);
    left.push_back(true);
  }
  TextTable table(std::move(header), std::move(left));
  const std::vector<size_t> order =
      LargestFirst(plan.collectives, [](const PlannedCollective& collective) {
        return collective.runs * collective.cost.seconds();
      });
  const size_t shown = std::min(rows, order.size());
  for (size_t i = 0; i < shown; ++i) {
    const PlannedCollective& collective = plan.collectives[order[i]];
    const CollectiveCost& cost = collective.cost;
    std::vector<std::string> row = {PlanSecondsText(cost.seconds()),
                                    PlanSecondsText(cost.alpha),
                                    PlanSecondsText(cost.beta),
                                    PlanSecondsText(cost.gamma),
                                    PlanSecondsText(collective.hidden),
                                    RunsText(collective.runs),
                                    collective.operation,
                                    collective.axes,
                                    absl::StrCat(collective.group_size),
                                    PlanBytesText(cost.bytes())};
    for (size_t l = 1; l < plan.levels.size(); ++l)
      row.push_back(PlanBytesText(cost.bytes_by_level[l]));
    row.insert(row.end(), {cost.algorithm, collective.name, collective.source});
    table.Add(std::move(row));
  }
  absl::StrAppend(&out, "\ncollectives, each for one run\n");
  table.AppendTo(out);
  AppendRest(order.size(), shown, out);
}

void AppendSums(std::string_view title, const std::vector<PlanSum>& sums, std::string& out) {
  TextTable table({std::string(title), "time", "bytes out", "collectives"},
                  {true, false, false, false});
  for (const PlanSum& sum : sums) {
    table.Add({sum.name, PlanSecondsText(sum.seconds), PlanBytesText(sum.bytes),
               absl::StrCat(sum.collectives)});
  }
  absl::StrAppend(&out, "\n");
  table.AppendTo(out);
}

void AppendProducts(const Plan& plan, size_t rows, std::string& out) {
  if (plan.products.empty()) return;
  TextTable table(
      {"moved", "bound", "ratio", "case", "devices", "axes", "batch", "m", "n", "k", "runs",
       "product", "source"},
      {false, false, false, true, false, true, false, false, false, false, false, true, true});
  const std::vector<size_t> order = LargestFirst(
      plan.products, [](const PlannedProduct& product) { return product.runs * product.moved; });
  const size_t shown = std::min(rows, order.size());
  for (size_t i = 0; i < shown; ++i) {
    const PlannedProduct& product = plan.products[order[i]];
    const auto number = [](double value) { return absl::StrFormat("%.0f", value); };
    table.Add({PlanBytesText(product.moved), PlanBytesText(product.least),
               product.least > 0 ? absl::StrFormat("%.2f", product.moved / product.least) : "-",
               product.devices > 1 ? product.regime : "local", number(product.devices),
               product.axes, number(product.batch), number(product.m), number(product.n),
               number(product.k), RunsText(product.runs), product.name, product.source});
  }
  absl::StrAppend(&out,
                  "\nproducts: bytes that a device receives for one, and the least that any "
                  "algorithm must\n");
  table.AppendTo(out);
  AppendRest(order.size(), shown, out);
}

void AppendSteps(const Plan& plan, size_t rows, std::string& out) {
  if (plan.steps.empty()) return;
  TextTable table({"time", "runs", "flop", "bytes", "operation", "name", "source"},
                  {false, false, false, false, true, true, true});
  const std::vector<size_t> order = LargestFirst(
      plan.steps, [](const PlannedStep& step) { return step.runs * step.cost.seconds; });
  const size_t shown = std::min(rows, order.size());
  for (size_t i = 0; i < shown; ++i) {
    const PlannedStep& step = plan.steps[order[i]];
    table.Add({PlanSecondsText(step.cost.seconds), RunsText(step.runs),
               CountText(step.cost.flops()), PlanBytesText(step.cost.bytes), step.operation,
               step.name, step.source});
  }
  absl::StrAppend(&out, "\nsteps, each for one run\n");
  table.AppendTo(out);
  AppendRest(order.size(), shown, out);
}

}  // namespace

std::string PlanSecondsText(double seconds) {
  if (seconds == 0) return "0 s";
  if (seconds < 999.5e-9) return Scaled(seconds * 1e9, 1000, {"ns"});
  if (seconds < 999.5e-6) return Scaled(seconds * 1e6, 1000, {"us"});
  if (seconds < 0.9995) return Scaled(seconds * 1e3, 1000, {"ms"});
  return Scaled(seconds, 1000, {"s", "ks", "Ms"});
}

std::string PlanBytesText(double bytes) {
  if (bytes < 999.5) return absl::StrFormat("%.0f B", bytes);
  return Scaled(bytes / 1000, 1000, {"KB", "MB", "GB", "TB", "PB"});
}

std::string PlanText(const Plan& plan, size_t rows) {
  std::string out =
      absl::StrCat(plan.module, " on ", plan.devices, " devices, mesh ", MeshText(plan.mesh));
  if (!plan.machine.empty()) absl::StrAppend(&out, ", machine ", plan.machine);
  absl::StrAppend(&out, "\n");
  for (size_t l = 0; l < plan.levels.size(); ++l) {
    absl::StrAppend(&out, l == 0 ? "levels: " : ", ", plan.levels[l], " of ",
                    plan.level_devices[l]);
  }
  absl::StrAppend(&out, "\n\n");
  AppendTimes(plan, out);
  AppendMemory(plan, plan.memory_capacity, out);
  AppendCollectives(plan, rows, out);
  if (!plan.collectives.empty()) {
    AppendSums("axes", plan.by_axes, out);
    AppendSums("level", plan.by_level, out);
  }
  AppendProducts(plan, rows, out);
  AppendSteps(plan, rows, out);
  if (!plan.notes.empty()) absl::StrAppend(&out, "\n");
  for (const std::string& note : plan.notes) absl::StrAppend(&out, "note: ", note, "\n");
  return out;
}

}  // namespace xla::spmd
