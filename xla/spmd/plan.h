// SPDX-License-Identifier: Apache-2.0
// How long the program of one device takes on a mesh of devices, what it moves and what memory it
// needs: predicted from the program, a mesh and a machine, without running anything.
//
//   PlanOptions options;
//   XLA_ASSIGN_OR_RETURN(options.machine, ParseMachine(text));
//   XLA_ASSIGN_OR_RETURN(Plan plan, MakePlan(*module, options));
//   std::string text = PlanText(plan);                               // plan_text.h
//
// All devices run the same program on data of the same shapes, so that the time to plan depends on
// the program alone: replica groups in iota form are never written out.
#ifndef XLA_SPMD_PLAN_H_
#define XLA_SPMD_PLAN_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/spmd/machine_levels.h"
#include "xla/spmd/plan_collectives.h"
#include "xla/spmd/plan_groups.h"
#include "xla/spmd/plan_memory.h"
#include "xla/spmd/plan_products.h"
#include "xla/spmd/plan_steps.h"

namespace xla::spmd {

struct PlanOptions {
  // Empty: one axis, "devices", of the devices that the module says.
  PlanMesh mesh;
  MachineDescription machine;
  // Asks a compiler for the memory of temporaries of one device, in bytes. Null, or an error: the
  // live ranges of values in program order.
  std::function<absl::StatusOr<int64_t>(const HloModule& module)> temporary_bytes;
  std::string temporary_bytes_source;  // what it is called
  // Iterations of loops by their names, where the module no longer shows them: see TripsOfLoops.
  std::map<std::string, int64_t> trips;
};

// A collective, or a message from some devices to others.
struct PlannedCollective {
  std::string name, operation, computation;
  std::string source;  // "file.py:12", or the framework's name of the operation
  std::string axes;
  int64_t group_size = 1;
  double bytes = 0;   // that a device brings; of all-gather, that it gets
  double runs = 1;    // loops included
  double hidden = 0;  // seconds of one run in which the device computes, as written
  CollectiveCost cost;
};

struct PlannedStep {
  std::string name, operation, computation, source;
  double runs = 1;
  StepCost cost;
};

struct PlanSum {
  std::string name;  // of axes, or of a level
  double seconds = 0, bytes = 0;
  int64_t collectives = 0;  // in the text
};

struct Plan {
  std::string module, machine;
  PlanMesh mesh;
  int64_t devices = 1;
  std::vector<std::string> levels;     // names
  std::vector<int64_t> level_devices;  // in one unit of each

  // Seconds of one step, that is, one run of the program.
  double seconds = 0;        // asynchronous collectives overlap, others wait: as written
  double overlapped = 0;     // if every collective overlapped as far as its users allow
  double chain = 0;          // the longest chain of dependent steps
  double computing = 0;      // of the compute stream
  double communicating = 0;  // of the network stream
  double launch = 0;         // to begin the run; part of the first two

  StepCost work;  // of all steps, `seconds` included
  MemoryPlan memory;
  std::string memory_source;   // of temporaries
  double memory_capacity = 0;  // 0: not known

  std::vector<PlannedCollective> collectives;  // in program order
  std::vector<PlannedStep> steps;              // in program order, without collectives
  std::vector<PlannedProduct> products;
  std::vector<PlanSum> by_axes, by_level;
  std::vector<std::string> notes;  // what was assumed, one sentence each
};

// Of the loops of a module whose number of iterations is known. Passes keep the names of loops, but
// fuse what counts their iterations.
std::map<std::string, int64_t> TripsOfLoops(const HloModule& module);

// The module is verified, and that of one device: shapes are those of shards. INVALID_ARGUMENT if
// mesh and module disagree about the number of devices, if groups have ids beyond it, or if the
// machine has fewer devices.
absl::StatusOr<Plan> MakePlan(const HloModule& module, const PlanOptions& options);

}  // namespace xla::spmd

#endif  // XLA_SPMD_PLAN_H_
