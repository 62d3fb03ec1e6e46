#include "compare/verify/costliest_parts.h"

#include <cmath>
#include <queue>

namespace cboard::compare {
namespace {

struct Range {
  std::size_t first = 0;
  std::size_t end = 0;
  double cost = 0;

  friend bool operator<(const Range& a, const Range& b) { return a.cost < b.cost; }
};

}  // namespace

std::vector<PartCost> FindCostliestParts(
    std::size_t count, const PartSearch& search,
    const std::function<std::optional<double>(std::size_t first, std::size_t end)>& cost_of) {
  std::vector<PartCost> found;
  std::priority_queue<Range> ranges;
  std::size_t runs = 0;
  // Measures the parts [first, end). Returns false if the search must end.
  const auto measure = [&](std::size_t first, std::size_t end) {
    if (runs == search.max_runs) return false;
    ++runs;
    const std::optional<double> cost = cost_of(first, end);
    if (!cost) return false;
    if (std::isfinite(*cost)) ranges.push({first, end, *cost});
    return true;
  };
  if (count == 0 || !measure(0, count) || ranges.empty()) return found;
  const double least = search.min_share * ranges.top().cost;
  while (!ranges.empty() && found.size() < search.max_parts) {
    const Range range = ranges.top();
    ranges.pop();
    if (!(range.cost > 0) || range.cost < least) break;
    if (range.end - range.first == 1) {
      found.push_back({range.first, range.cost});
      continue;
    }
    const std::size_t middle = range.first + (range.end - range.first) / 2;
    if (!measure(range.first, middle) || !measure(middle, range.end)) break;
  }
  return found;
}

}  // namespace cboard::compare
