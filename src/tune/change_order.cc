#include "tune/change_order.h"

#include <algorithm>
#include <cmath>

namespace cboard::tune {

ChangeOrder::ChangeOrder(EndMeter& meter, const std::vector<ErrorSource>& sources,
                         std::vector<RankedItem> items, Objective objective, bool has_16_bits)
    : meter_(meter),
      sources_(sources),
      items_(std::move(items)),
      objective_(objective),
      has_16_bits_(has_16_bits) {
  std::int64_t all_values = 0;
  for (const ErrorSource& source : sources_) {
    if (source.is_weight) all_values += source.weight_values;
  }
  // Every change has a fixed price, or changes without any use would come first for being free.
  const double fixed = 0.06 * static_cast<double>(all_values) + 1;
  const auto value_of = [&](const RankedItem& item) {
    PlanChanges changes;
    for (const std::size_t i : item.sources) Fix(sources_[i], objective_, has_16_bits_, changes);
    const auto bytes = static_cast<double>(tune::AddedBytes(meter_.plan(), changes));
    const double price = fixed * static_cast<double>(item.sources.size()) + bytes;
    // Gains below zero come last, those of the cheapest first.
    return item.gain > 0 ? item.gain / price : -price;
  };
  std::ranges::stable_sort(items_, std::greater<>(), value_of);
}

PlanChanges ChangeOrder::First(std::size_t count) const {
  PlanChanges changes;
  for (std::size_t i = 0; i < std::min(count, items_.size()); ++i) {
    for (const std::size_t source : items_[i].sources) {
      Fix(sources_[source], objective_, has_16_bits_, changes);
    }
  }
  // A tensor between float nodes only has no quantizer that could have 16 bits.
  for (const ErrorSource& source : sources_) {
    if (source.is_weight || source.nodes.empty()) continue;
    const bool is_idle = std::ranges::all_of(
        source.nodes, [&](const std::string& node) { return changes.float_nodes.contains(node); });
    if (is_idle) changes.wide_tensors.erase(source.key);
  }
  return changes;
}

std::int64_t ChangeOrder::AddedBytes(std::size_t count) const {
  return tune::AddedBytes(meter_.plan(), First(count));
}

std::size_t ChangeOrder::CountWithin(std::int64_t max_bytes) const {
  std::size_t count = 0;
  while (count < items_.size() && AddedBytes(count + 1) <= max_bytes) ++count;
  return count;
}

Result<std::size_t> ChangeOrder::CountFor(double max_noise, std::size_t low, std::size_t high) {
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    CBOARD_ASSIGN_OR_RETURN(const double noise, Noise(middle));
    (noise <= max_noise ? high : low) = middle;
  }
  return high;
}

double NoiseForDrop(double noise, double drop, double max_drop) {
  if (!(drop > 0)) return noise;
  const double ratio = std::clamp(max_drop / drop, 0.01, 1.0);
  return noise * ratio * ratio * 0.8;
}

}  // namespace cboard::tune
