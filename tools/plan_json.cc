// SPDX-License-Identifier: Apache-2.0
#include "tools/plan_json.h"

#include <vector>

#include "tools/json.h"

namespace xla {
namespace {

std::vector<JsonObject> SumsJson(const std::vector<spmd::PlanSum>& sums) {
  std::vector<JsonObject> objects;
  for (const spmd::PlanSum& sum : sums) {
    objects.emplace_back()
        .String("name", sum.name)
        .Number("seconds", sum.seconds)
        .Number("bytes", sum.bytes)
        .Integer("collectives", sum.collectives);
  }
  return objects;
}

std::vector<JsonObject> LevelsJson(const spmd::Plan& plan, const spmd::CollectiveCost& cost) {
  std::vector<JsonObject> objects;
  for (size_t l = 0; l < plan.levels.size(); ++l) {
    objects.emplace_back().String("level", plan.levels[l]).Number("bytes", cost.bytes_by_level[l]);
  }
  return objects;
}

}  // namespace

std::string PlanJson(const spmd::Plan& plan, std::optional<double> measured) {
  std::vector<JsonObject> mesh, levels, collectives, products, steps;
  for (const spmd::PlanAxis& axis : plan.mesh)
    mesh.emplace_back().String("axis", axis.name).Integer("size", axis.size);
  for (size_t l = 0; l < plan.levels.size(); ++l)
    levels.emplace_back().String("name", plan.levels[l]).Integer("devices", plan.level_devices[l]);
  for (const spmd::PlannedCollective& collective : plan.collectives) {
    const spmd::CollectiveCost& cost = collective.cost;
    collectives.emplace_back()
        .String("name", collective.name)
        .String("operation", collective.operation)
        .String("computation", collective.computation)
        .String("source", collective.source)
        .String("axes", collective.axes)
        .Integer("group_size", collective.group_size)
        .Number("bytes", collective.bytes)
        .Number("runs", collective.runs)
        .String("algorithm", cost.algorithm)
        .Number("seconds", cost.seconds())
        .Number("alpha_seconds", cost.alpha)
        .Number("beta_seconds", cost.beta)
        .Number("gamma_seconds", cost.gamma)
        .Number("hidden_seconds", collective.hidden)
        .Number("bytes_out", cost.bytes())
        .Objects("bytes_by_level", LevelsJson(plan, cost));
  }
  for (const spmd::PlannedProduct& product : plan.products) {
    JsonObject& object = products.emplace_back();
    object.String("name", product.name)
        .String("source", product.source)
        .Number("batch", product.batch)
        .Number("m", product.m)
        .Number("n", product.n)
        .Number("k", product.k)
        .Number("devices", product.devices)
        .String("axes", product.axes)
        .Number("runs", product.runs)
        .Number("moved_bytes", product.moved)
        .Number("bound_bytes", product.least)
        .String("case", product.regime);
    if (product.least > 0) object.Number("ratio", product.moved / product.least);
  }
  for (const spmd::PlannedStep& step : plan.steps) {
    steps.emplace_back()
        .String("name", step.name)
        .String("operation", step.operation)
        .String("computation", step.computation)
        .String("source", step.source)
        .Number("runs", step.runs)
        .Number("seconds", step.cost.seconds)
        .Number("flops", step.cost.flops())
        .Number("transcendentals", step.cost.transcendentals)
        .Number("bytes", step.cost.bytes);
  }
  JsonObject json;
  json.String("module", plan.module)
      .String("machine", plan.machine)
      .Integer("devices", plan.devices)
      .Objects("mesh", mesh)
      .Objects("levels", levels)
      .Number("seconds", plan.seconds)
      .Number("overlapped_seconds", plan.overlapped)
      .Number("chain_seconds", plan.chain)
      .Number("computing_seconds", plan.computing)
      .Number("communicating_seconds", plan.communicating)
      .Number("launch_seconds", plan.launch);
  if (measured.has_value()) {
    json.Number("measured_seconds", *measured).Number("error", plan.seconds / *measured - 1);
  }
  json.Number("flops", plan.work.flops())
      .Number("transcendentals", plan.work.transcendentals)
      .Number("memory_bytes_accessed", plan.work.bytes)
      .Number("argument_bytes", plan.memory.arguments)
      .Number("result_bytes", plan.memory.results)
      .Number("aliased_bytes", plan.memory.aliased)
      .Number("temporary_bytes", plan.memory.temporaries)
      .String("temporary_bytes_source", plan.memory_source)
      .Number("peak_bytes", plan.memory.peak())
      .Number("capacity_bytes", plan.memory_capacity)
      .Objects("collectives", collectives)
      .Objects("by_axes", SumsJson(plan.by_axes))
      .Objects("by_level", SumsJson(plan.by_level))
      .Objects("products", products)
      .Objects("steps", steps)
      .Strings("notes", plan.notes);
  return json.ToString();
}

}  // namespace xla
