#include "tune/trade_off.h"

#include <algorithm>
#include <cmath>

#include "tune/knapsack.h"

namespace cboard::tune {
namespace {

// Maximum number of sets; if there were more, neighbouring sets would hardly differ.
constexpr std::size_t kMaxSets = 48;

// Keeps kMaxSets evenly spaced sets, including the first and the last one.
void Thin(std::vector<KnapsackChoice>& choices) {
  if (choices.size() <= kMaxSets) return;
  std::vector<KnapsackChoice> kept;
  for (std::size_t i = 0; i < kMaxSets; ++i) {
    kept.push_back(choices[i * (choices.size() - 1) / (kMaxSets - 1)]);
  }
  choices = std::move(kept);
}

}  // namespace

TradeOff::TradeOff(EndMeter& meter, Inputs inputs) : meter_(meter), inputs_(std::move(inputs)) {
  // Each item is a group of options: no change, restored or, for a single weight, 4 bits.
  std::vector<KnapsackGroup> groups;
  std::vector<std::optional<std::size_t>> narrow_of;  // For each group: position in `narrow`.
  std::vector<bool> is_grouped(inputs_.narrow.size(), false);
  const auto price = [&](const std::vector<std::size_t>& items,
                         const std::vector<std::size_t>& narrow) {
    return inputs_.price(ChangesOf(items, narrow));
  };
  for (std::size_t i = 0; i < inputs_.items.size(); ++i) {
    KnapsackGroup group = {{0, 0}, {price({i}, {}), -inputs_.items[i].gain}};
    std::optional<std::size_t> narrow;
    for (std::size_t n = 0; n < inputs_.narrow.size(); ++n) {
      if (inputs_.narrow[n].sources != inputs_.items[i].sources) continue;
      narrow = n;
      is_grouped[n] = true;
      group.push_back({price({}, {n}), -inputs_.narrow[n].gain});
    }
    narrow_of.push_back(narrow);
    groups.push_back(std::move(group));
  }
  const std::size_t first_narrow = groups.size();
  std::vector<std::size_t> alone;
  for (std::size_t n = 0; n < inputs_.narrow.size(); ++n) {
    if (is_grouped[n]) continue;
    alone.push_back(n);
    groups.push_back({{0, 0}, {price({}, {n}), -inputs_.narrow[n].gain}});
  }
  std::vector<KnapsackChoice> choices = SolveKnapsack(groups);
  Thin(choices);
  const auto add = [&](PlanChanges changes) {
    if (std::ranges::find(sets_, changes) == sets_.end()) sets_.push_back(std::move(changes));
  };
  // Adds the empty set, because changes without a price are in all sets of the knapsack.
  if (inputs_.narrow.empty()) add({});
  for (const KnapsackChoice& choice : choices) {
    std::vector<std::size_t> items, narrow;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      if (choice.options[g] == 0) continue;
      if (g >= first_narrow) {
        narrow.push_back(alone[g - first_narrow]);
      } else if (choice.options[g] == 1) {
        items.push_back(g);
      } else {
        narrow.push_back(*narrow_of[g]);
      }
    }
    add(ChangesOf(items, narrow));
  }
  add(AllChanges());
}

// The most accurate model that these changes can make: single gains below zero may help together.
PlanChanges TradeOff::AllChanges() const {
  std::vector<std::size_t> all(inputs_.items.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  return ChangesOf(all, {});
}

PlanChanges TradeOff::ChangesOf(const std::vector<std::size_t>& chosen_items,
                                const std::vector<std::size_t>& chosen_narrow) const {
  PlanChanges changes;
  for (const std::size_t i : chosen_items) {
    for (const std::size_t source : inputs_.items[i].sources) {
      Fix(inputs_.sources[source], inputs_.objective, inputs_.has_16_bits, changes);
    }
  }
  for (const std::size_t n : chosen_narrow) {
    for (const std::size_t source : inputs_.narrow[n].sources) {
      const std::string& node = inputs_.sources[source].key;
      if (!changes.float_nodes.contains(node)) changes.narrow_nodes.insert(node);
    }
  }
  // A tensor whose nodes are all float is not quantized, so it cannot have 16 bits.
  for (const ErrorSource& source : inputs_.sources) {
    if (source.is_weight || source.nodes.empty()) continue;
    const bool is_idle = std::ranges::all_of(
        source.nodes, [&](const std::string& node) { return changes.float_nodes.contains(node); });
    if (is_idle) changes.wide_tensors.erase(source.key);
  }
  return changes;
}

void TradeOff::Limit(const std::function<bool(const PlanChanges&)>& is_allowed) {
  std::erase_if(sets_, [&](const PlanChanges& set) { return !is_allowed(set); });
}

PlanChanges TradeOff::AllWide() const {
  PlanChanges wide;
  if (inputs_.objective != Objective::kSize || !inputs_.has_16_bits) return wide;
  for (const ErrorSource& source : inputs_.sources) {
    if (!source.is_weight) wide.wide_tensors.insert(source.key);
  }
  return wide;
}

Result<void> TradeOff::AddNeighbors(const std::function<bool(const PlanChanges&)>& is_allowed) {
  constexpr std::size_t kMaxHalves = 8;  // Smaller ones are close to the knapsack's items.
  struct Candidate {
    PlanChanges changes;
    double price = 0;
  };
  std::vector<Candidate> candidates;
  const auto add = [&](const PlanChanges& changes) {
    if (changes.empty() || !is_allowed(changes)) return;
    candidates.push_back({changes, inputs_.price(changes)});
  };
  const PlanChanges wide = AllWide();
  add(wide);
  for (std::size_t i = 0; i < std::min(kMaxHalves, inputs_.halves.size()); ++i) {
    PlanChanges half, both = wide;
    for (const std::size_t source : inputs_.halves[i].sources) {
      Fix(inputs_.sources[source], inputs_.objective, inputs_.has_16_bits, half);
    }
    add(half);
    both.float_nodes = half.float_nodes;
    if (both != half) add(both);
  }
  std::ranges::stable_sort(candidates, {}, &Candidate::price);
  PlanChanges all = AllChanges();
  const bool has_all = !sets_.empty() && sets_.back() == all;
  if (has_all) sets_.pop_back();
  double noise = 1e300;
  if (!sets_.empty()) {
    CBOARD_ASSIGN_OR_RETURN(noise, Noise(sets_.size() - 1));
  }
  for (Candidate& candidate : candidates) {
    CBOARD_ASSIGN_OR_RETURN(const double found, meter_.Noise(candidate.changes));
    if (found >= noise) continue;
    noise = found;
    sets_.push_back(std::move(candidate.changes));
  }
  if (has_all) sets_.push_back(std::move(all));
  return {};
}

Result<std::size_t> TradeOff::FindWithin(double max_noise, std::size_t low, std::size_t high) {
  while (high > low) {
    const std::size_t middle = low + (high - low) / 2;
    CBOARD_ASSIGN_OR_RETURN(const double noise, Noise(middle));
    if (noise <= max_noise) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return high;
}

Result<PlanChanges> TradeOff::Prune(const PlanChanges& changes, double max_noise,
                                    std::size_t max_measurements) {
  struct Change {
    std::set<std::string> PlanChanges::*kind;
    std::string key;
    double price = 0;
  };
  std::vector<Change> list;
  for (const auto kind : {&PlanChanges::float_nodes, &PlanChanges::wide_tensors}) {
    for (const std::string& key : changes.*kind) {
      PlanChanges alone;
      (alone.*kind).insert(key);
      list.push_back({kind, key, inputs_.price(alone)});
    }
  }
  std::ranges::stable_sort(list, std::greater<>(), &Change::price);  // Most expensive first.
  PlanChanges kept = changes;
  std::size_t measured = 0;
  for (std::size_t width = list.size() / 2; width >= 1; width /= 2) {
    for (std::size_t first = 0; first < list.size() && list.size() > 1; first += width) {
      if (measured == max_measurements) return kept;
      PlanChanges fewer = kept;
      for (std::size_t i = first; i < std::min(first + width, list.size()); ++i) {
        (fewer.*(list[i].kind)).erase(list[i].key);
      }
      if (fewer == kept || fewer.empty()) continue;
      ++measured;
      CBOARD_ASSIGN_OR_RETURN(const double noise, meter_.Noise(fewer));
      if (noise <= max_noise) kept = std::move(fewer);
    }
  }
  return kept;
}

double NoiseForDrop(double noise, double drop, double max_drop) {
  if (!(drop > 0)) return noise;
  const double ratio = std::clamp(max_drop / drop, 0.01, 1.0);
  return noise * ratio * ratio * 0.8;
}

}  // namespace cboard::tune
