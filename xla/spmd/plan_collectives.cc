// SPDX-License-Identifier: Apache-2.0
#include "xla/spmd/plan_collectives.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "xla/spmd/plan_groups.h"

namespace xla::spmd {
namespace {

// A level of the machine as one group sees it.
struct GroupLevel {
  size_t index = 0;
  double members = 1;  // p
  double inner = 1;    // members of the group in one unit of the level below
  double senders = 1;  // devices in one unit of the level below
  double alpha = 0, beta = 0, gamma = 0, width = 0, bisection = 0;
  double devices = 1;  // in one unit of this level
  CollectiveAlgorithms algorithms = CollectiveAlgorithms::kAny;

  double steps() const { return std::ceil(std::log2(members)); }
  // How many messages share a link if so many leave a unit of the level below at once.
  double Contention(double messages) const { return std::max(1.0, messages / width); }
};

std::vector<GroupLevel> LevelsOfGroup(absl::Span<const int64_t> members,
                                      const MachineDescription& machine, int64_t devices) {
  std::vector<GroupLevel> levels;
  double inner = 1, below = 1;
  for (size_t l = 0; l < members.size(); ++l) {
    const MachineLevel& level = machine.levels[l];
    const auto unit = static_cast<double>(std::min(machine.DevicesInUnit(l), devices));
    const double width = level.width > 0 ? level.width : below;
    if (members[l] > 1) {
      levels.push_back({l, static_cast<double>(members[l]), inner, below, level.alpha, level.beta,
                        level.gamma, width, level.bisection, unit, level.algorithms});
    }
    inner *= static_cast<double>(members[l]);
    below = unit;
  }
  return levels;
}

// What copies within caches take of those that leave them.
double CacheFactor(const MachineDescription& machine, const MachineLevel& level, double bytes) {
  return level.cached_beta > 0 && bytes <= machine.cache_bytes ? level.cached_beta / level.beta : 1;
}

class CollectiveModel {
 public:
  CollectiveModel(std::vector<GroupLevel> levels, const MachineDescription& machine)
      : levels_(std::move(levels)), machine_(machine), machine_levels_(machine.levels.size()) {
    for (const GroupLevel& level : levels_) ranks_ *= level.members;
  }

  CollectiveCost Cheapest(CollectiveKind kind, double n) const {
    if (levels_.size() == 1 && levels_[0].algorithms == CollectiveAlgorithms::kMeeting)
      return Meeting(kind, n);
    if (levels_.size() == 1 && levels_[0].algorithms == CollectiveAlgorithms::kDirect)
      return Direct(kind, n);
    std::vector<CollectiveCost> costs;
    if (kind == CollectiveKind::kAllToAll) {
      if (Has(CollectiveAlgorithms::kRing)) costs.push_back(Pairwise(n));
      if (Has(CollectiveAlgorithms::kDoubling)) costs.push_back(Doubling(kind, n));
    } else {
      if (Has(CollectiveAlgorithms::kRing)) costs.push_back(Ring(kind, n));
      if (Has(CollectiveAlgorithms::kDoubling)) {
        if (kind == CollectiveKind::kAllReduce || kind == CollectiveKind::kBroadcast)
          costs.push_back(Doubling(kind, n));
      }
    }
    costs.push_back(ByLevels(kind, n));
    return *std::min_element(
        costs.begin(), costs.end(),
        [](const CollectiveCost& a, const CollectiveCost& b) { return a.seconds() < b.seconds(); });
  }

 private:
  CollectiveCost NewCost(const char* algorithm) const {
    CollectiveCost cost;
    cost.algorithm = algorithm;
    cost.bytes_by_level.assign(machine_levels_, 0);
    return cost;
  }

  bool Has(CollectiveAlgorithms algorithm) const {
    return std::all_of(levels_.begin(), levels_.end(), [&](const GroupLevel& level) {
      return level.algorithms == algorithm || level.algorithms == CollectiveAlgorithms::kAny;
    });
  }

  // One ring through all ranks in order, so that few messages leave a unit: all steps take as long
  // as their slowest message.
  CollectiveCost Ring(CollectiveKind kind, double n) const {
    CollectiveCost cost = NewCost("ring");
    const double chunk = n / ranks_;
    const double rounds = RingRounds(kind), steps = rounds * (ranks_ - 1);
    double slowest = -1;
    for (const GroupLevel& level : levels_) {
      const double bytes = chunk * level.beta * level.Contention(level.senders / level.inner);
      if (level.alpha + bytes > slowest) {
        slowest = level.alpha + bytes;
        cost.alpha = steps * level.alpha;
        cost.beta = steps * bytes;
      }
      // Of all messages of a step, those between units of the level below but within this one.
      const bool is_outermost = &level == &levels_.back();
      const double within = is_outermost ? 0 : 1 / (level.inner * level.members);
      cost.bytes_by_level[level.index] += steps * chunk * (1 / level.inner - within);
    }
    if (kind == CollectiveKind::kAllReduce || kind == CollectiveKind::kReduceScatter)
      cost.gamma = (ranks_ - 1) * chunk * SlowestGamma();
    // The scatter before the ring of a broadcast, by halves.
    if (kind == CollectiveKind::kBroadcast) {
      double left = n;
      for (size_t i = levels_.size(); i-- > 0;) {
        const GroupLevel& level = levels_[i];
        const double sent = left * (level.members - 1) / level.members;
        cost.alpha += level.steps() * level.alpha;
        cost.beta += sent * level.beta;
        cost.bytes_by_level[level.index] += sent / ranks_;
        left /= level.members;
      }
    }
    return cost;
  }

  static double RingRounds(CollectiveKind kind) {
    return kind == CollectiveKind::kAllReduce ? 2 : 1;
  }

  double SlowestGamma() const {
    double gamma = 0;
    for (const GroupLevel& level : levels_) gamma = std::max(gamma, level.gamma);
    return gamma;
  }

  // All that a device has is exchanged at each distance; of all-to-all half of it (Bruck).
  CollectiveCost Doubling(CollectiveKind kind, double n) const {
    CollectiveCost cost = NewCost(kind == CollectiveKind::kAllToAll ? "bruck" : "doubling");
    for (const GroupLevel& level : levels_) AddDoubling(kind, n, level, cost);
    return cost;
  }

  void AddDoubling(CollectiveKind kind, double n, const GroupLevel& level,
                   CollectiveCost& cost) const {
    const bool is_broadcast = kind == CollectiveKind::kBroadcast;
    const double sent = kind == CollectiveKind::kAllToAll ? n / 2 : n;
    // A power of two is below others: those beyond it send before and get after the rest.
    double steps = level.steps();
    if (kind == CollectiveKind::kAllReduce && std::exp2(steps) != level.members) steps += 1;
    // In a tree, only one of a group sends from a unit at a time, at most.
    const double messages =
        is_broadcast ? std::max(1.0, level.senders / level.inner) : level.senders;
    cost.alpha += steps * level.alpha;
    double moving = steps * sent * level.beta * level.Contention(messages);
    if (kind == CollectiveKind::kAllToAll) moving = std::max(moving, BisectionSeconds(n, level));
    cost.beta += moving;
    if (kind == CollectiveKind::kAllReduce) cost.gamma += level.steps() * n * level.gamma;
    // Every member but the first receives once in a tree.
    cost.bytes_by_level[level.index] +=
        is_broadcast ? sent * (level.members - 1) / level.members / level.inner : steps * sent;
  }

  // (p-1) messages of n/p, to all partners on all levels.
  CollectiveCost Pairwise(double n) const {
    CollectiveCost cost = NewCost("pairwise");
    for (const GroupLevel& level : levels_) {
      const double partners = level.inner * (level.members - 1), sent = n / ranks_ * partners;
      cost.alpha += partners * level.alpha;
      cost.beta +=
          std::max(sent * level.beta * level.Contention(level.senders), BisectionSeconds(n, level));
      cost.bytes_by_level[level.index] += sent;
    }
    return cost;
  }

  // Of all devices in a unit of the level, half send half of what they have to the other half.
  static double BisectionSeconds(double n, const GroupLevel& level) {
    return level.bisection > 0 ? level.devices * n / 4 * level.beta / level.bisection : 0;
  }

  // One phase on one level: the messages of a ring or of halves, whichever the level has and is
  // cheaper.
  void AddPhase(double n, double alpha_steps_of_ring, const GroupLevel& level,
                CollectiveCost& cost) const {
    const double sent = n * (level.members - 1) / level.members;
    const bool has_doubling = level.algorithms == CollectiveAlgorithms::kAny ||
                              level.algorithms == CollectiveAlgorithms::kDoubling;
    const double steps =
        has_doubling ? std::min(level.steps(), alpha_steps_of_ring) : alpha_steps_of_ring;
    cost.alpha += steps * level.alpha;
    cost.beta += sent * level.beta * level.Contention(level.senders);
    cost.bytes_by_level[level.index] += sent;
  }

  CollectiveCost ByLevels(CollectiveKind kind, double n) const {
    CollectiveCost cost = NewCost(levels_.size() > 1                  ? "hierarchy"
                                  : kind == CollectiveKind::kAllToAll ? "pairwise"
                                                                      : "halving");
    double left = n;
    for (size_t i = 0; i < levels_.size(); ++i) {
      const GroupLevel& level = levels_[i];
      const bool is_outermost = i + 1 == levels_.size();
      switch (kind) {
        case CollectiveKind::kAllReduce:
        case CollectiveKind::kReduceScatter:
          if (kind == CollectiveKind::kAllReduce && is_outermost && AddShortest(left, level, cost))
            break;
          cost.gamma += left * (level.members - 1) / level.members * level.gamma;
          AddPhase(left, level.members - 1, level, cost);
          if (kind == CollectiveKind::kAllReduce) AddPhase(left, level.members - 1, level, cost);
          break;
        case CollectiveKind::kAllGather:
          AddPhase(left, level.members - 1, level, cost);
          break;
        case CollectiveKind::kBroadcast:
          AddDoubling(kind, n, level, cost);
          break;
        case CollectiveKind::kAllToAll: {
          // What goes to one unit of the level is sent together, whoever gets it there.
          const double sent = n * (level.members - 1) / level.members;
          cost.alpha += (level.members - 1) * level.alpha;
          cost.beta += std::max(sent * level.beta * level.Contention(level.senders),
                                BisectionSeconds(n, level));
          cost.bytes_by_level[level.index] += sent;
          break;
        }
        case CollectiveKind::kPermute:
          break;
      }
      left /= level.members;
    }
    return cost;
  }

  // On the outermost level, small arrays are better exchanged whole than by halves.
  bool AddShortest(double n, const GroupLevel& level, CollectiveCost& cost) const {
    if (level.algorithms != CollectiveAlgorithms::kAny &&
        level.algorithms != CollectiveAlgorithms::kDoubling) {
      return false;
    }
    CollectiveCost whole = NewCost(""), halves = NewCost("");
    AddDoubling(CollectiveKind::kAllReduce, n, level, whole);
    AddPhase(n, level.members - 1, level, halves);
    AddPhase(n, level.members - 1, level, halves);
    halves.gamma = n * (level.members - 1) / level.members * level.gamma;
    if (whole.seconds() >= halves.seconds()) return false;
    cost.alpha += whole.alpha;
    cost.beta += whole.beta;
    cost.gamma += whole.gamma;
    cost.bytes_by_level[level.index] += whole.bytes_by_level[level.index];
    return true;
  }

  CollectiveCost Meeting(CollectiveKind kind, double n) const {
    const GroupLevel& level = levels_[0];
    CollectiveCost cost = NewCost("meeting");
    const double p = level.members;
    double copied = p * n;  // the results of all
    if (kind == CollectiveKind::kAllReduce) copied = (p - 1) * n;
    if (kind == CollectiveKind::kReduceScatter) copied = n;
    cost.alpha = (p - 1) * level.alpha;
    // Each group has its own; they share the memory.
    const double sharing = level.Contention(level.devices / p);
    const double faster = CacheFactor(machine_, machine_.levels[level.index], 2 * copied);
    cost.beta = copied * level.beta * sharing * faster;
    if (kind == CollectiveKind::kAllReduce || kind == CollectiveKind::kReduceScatter)
      cost.gamma = (p - 1) * n * level.gamma * sharing * faster;
    cost.bytes_by_level[level.index] = copied / p;
    return cost;
  }

  CollectiveCost Direct(CollectiveKind kind, double n) const {
    const double p = levels_[0].members;
    switch (kind) {
      case CollectiveKind::kAllReduce: {
        const CollectiveCost whole = Rounds(1, (p - 1) * n, (p - 1) * n),
                             parts = Rounds(2, 2 * n * (p - 1) / p, n * (p - 1) / p);
        return whole.seconds() <= parts.seconds() ? whole : parts;
      }
      case CollectiveKind::kReduceScatter:
        return Rounds(1, n * (p - 1) / p, n * (p - 1) / p);
      case CollectiveKind::kAllGather:
      case CollectiveKind::kAllToAll:
        return Rounds(1, n * (p - 1) / p, 0);
      case CollectiveKind::kBroadcast:
      case CollectiveKind::kPermute:
        break;
    }
    return Rounds(1, n, 0);
  }

  // Exchanges with all others, in which each device copies and combines so many bytes; those of all
  // groups share the memory.
  CollectiveCost Rounds(double rounds, double copied, double combined) const {
    const GroupLevel& level = levels_[0];
    CollectiveCost cost = NewCost("direct");
    const double sharing = level.Contention(level.devices);
    const double faster = CacheFactor(machine_, machine_.levels[level.index], 2 * copied);
    cost.alpha = rounds * (level.members - 1) * level.alpha;
    cost.beta = copied * level.beta * sharing * faster;
    cost.gamma = combined * level.gamma * sharing * faster;
    cost.bytes_by_level[level.index] = copied;
    return cost;
  }

  const std::vector<GroupLevel> levels_;
  const MachineDescription& machine_;
  const size_t machine_levels_;
  double ranks_ = 1;
};

}  // namespace

double CollectiveCost::bytes() const {
  return std::accumulate(bytes_by_level.begin(), bytes_by_level.end(), 0.0);
}

CollectiveCost CostOfCollective(CollectiveKind kind, double bytes,
                                absl::Span<const int64_t> members,
                                const MachineDescription& machine, int64_t devices) {
  std::vector<GroupLevel> levels = LevelsOfGroup(members, machine, devices);
  if (levels.empty()) {
    CollectiveCost cost;
    cost.algorithm = "none";
    cost.bytes_by_level.assign(machine.levels.size(), 0);
    return cost;
  }
  return CollectiveModel(std::move(levels), machine).Cheapest(kind, bytes);
}

CollectiveCost CostOfPairs(double bytes, absl::Span<const std::pair<int64_t, int64_t>> pairs,
                           const MachineDescription& machine, int64_t devices) {
  CollectiveCost cost;
  cost.algorithm = "none";
  const size_t count = machine.levels.size();
  cost.bytes_by_level.assign(count, 0);
  // Messages that leave a unit of the level below, by level and unit.
  std::vector<absl::flat_hash_map<int64_t, int64_t>> leaving(count);
  double moved = 0;
  for (const auto& [source, target] : pairs) {
    moved += bytes;  // to itself as well, where one moves everything
    if (source == target) continue;
    const size_t level = LevelBetween(machine, source, target);
    cost.bytes_by_level[level] += bytes / static_cast<double>(std::max<int64_t>(devices, 1));
    ++leaving[level][source / (level == 0 ? 1 : machine.DevicesInUnit(level - 1))];
  }
  double slowest = -1;
  for (size_t l = 0; l < count; ++l) {
    if (leaving[l].empty()) continue;
    const MachineLevel& level = machine.levels[l];
    if (level.algorithms == CollectiveAlgorithms::kMeeting) {
      cost.algorithm = "meeting";
      cost.alpha = static_cast<double>(devices - 1) * level.alpha;
      cost.beta = moved * level.beta * CacheFactor(machine, level, 2 * moved);
      return cost;
    }
    if (level.algorithms == CollectiveAlgorithms::kDirect) {
      const auto sharers = static_cast<double>(std::min(machine.DevicesInUnit(l), devices));
      const double width = level.width > 0 ? level.width : sharers;
      cost.algorithm = "direct";
      // A message to one device and one from another.
      cost.alpha = std::min(2.0, static_cast<double>(devices - 1)) * level.alpha;
      cost.beta = moved / sharers * level.beta * std::max(1.0, sharers / width) *
                  CacheFactor(machine, level, 2 * moved / sharers);
      return cost;
    }
    int64_t most = 0;
    for (const auto& [unit, messages] : leaving[l]) most = std::max(most, messages);
    const double width = level.width > 0 ? level.width
                         : l == 0        ? 1
                                         : static_cast<double>(machine.DevicesInUnit(l - 1));
    const double seconds = bytes * level.beta * std::max(1.0, static_cast<double>(most) / width);
    if (level.alpha + seconds > slowest) {
      slowest = level.alpha + seconds;
      cost.algorithm = "direct";
      cost.alpha = level.alpha;
      cost.beta = seconds;
    }
  }
  return cost;
}

}  // namespace xla::spmd
