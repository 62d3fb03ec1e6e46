#include "cboard/analysis/pareto.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cboard/base/strings.h"

namespace cboard::analysis {
namespace {

// The points that have all objectives. Signs are changed so that lower is better.
class Points {
 public:
  Points(std::span<const compression::Better> objectives,
         std::span<const std::optional<double>> values, std::vector<std::size_t>& incomplete)
      : width_(objectives.size()) {
    for (std::size_t point = 0; point < values.size() / width_; ++point) {
      const auto row = values.subspan(point * width_, width_);
      const bool complete =
          std::ranges::all_of(row, [](const auto& value) { return value && !std::isnan(*value); });
      if (!complete) {
        incomplete.push_back(point);
        continue;
      }
      order_.push_back(point);
      ranks_.push_back(order_.size() - 1);
      for (std::size_t i = 0; i < width_; ++i) {
        costs_.push_back(objectives[i] == compression::Better::kLower ? *row[i] : -*row[i]);
      }
    }
  }

  std::size_t size() const { return order_.size(); }
  std::size_t width() const { return width_; }
  std::size_t original(std::size_t point) const { return order_[point]; }
  std::span<const double> costs(std::size_t point) const {
    return std::span(costs_).subspan(point * width_, width_);
  }

  // Points are sorted by the first objective, then by the second, and so on, so that no point is
  // dominated by a later one.
  const std::vector<std::size_t>& Sorted() {
    std::ranges::sort(ranks_, [&](std::size_t a, std::size_t b) {
      const auto x = costs(a), y = costs(b);
      const auto difference = std::ranges::mismatch(x, y);
      if (difference.in1 == x.end()) return a < b;
      return *difference.in1 < *difference.in2;
    });
    return ranks_;
  }

  bool Equal(std::size_t a, std::size_t b) const { return std::ranges::equal(costs(a), costs(b)); }

  // Returns true if no objective of `a` is worse than `b`'s. Because `a` comes before `b` in the
  // sorted order, `a` then dominates `b`, unless both are equal.
  bool NowhereWorse(std::size_t a, std::size_t b) const {
    return std::ranges::equal(costs(a), costs(b), std::less_equal<>());
  }

 private:
  std::size_t width_;
  std::vector<std::size_t> order_;  // Indices of the caller's rows.
  std::vector<std::size_t> ranks_;
  std::vector<double> costs_;
};

}  // namespace

Result<ParetoFront> ComputeParetoFront(std::span<const compression::Better> objectives,
                                       std::span<const std::optional<double>> values) {
  if (objectives.empty()) {
    return Fail(ErrorCode::kInvalidArgument,
                "the Pareto front has no objective; give at least one metric");
  }
  for (std::size_t i = 0; i < objectives.size(); ++i) {
    if (objectives[i] != compression::Better::kUnknown) continue;
    return Fail(ErrorCode::kInvalidArgument,
                "objective " + std::to_string(i + 1) +
                    " has no direction; say whether higher or lower is better");
  }
  if (values.size() % objectives.size() != 0) {
    return Fail(ErrorCode::kInvalidArgument, "the Pareto front received " +
                                                 HumanCount(values.size()) +
                                                 " values, which is not a multiple of its " +
                                                 HumanCount(objectives.size()) + " objectives");
  }
  ParetoFront result;
  result.dominated_by.resize(values.size() / objectives.size());
  Points points(objectives, values, result.incomplete);

  std::vector<std::size_t> front;
  for (const std::size_t point : points.Sorted()) {
    if (!front.empty() && points.Equal(front.back(), point)) {
      front.push_back(point);
      continue;
    }
    // With one or two objectives, one comparison per point is enough: the newest point of the
    // Pareto front is the best in the last objective, so it dominates every point that any other
    // point dominates.
    const std::size_t first = points.width() <= 2 && !front.empty() ? front.size() - 1 : 0;
    const auto beats =
        std::find_if(front.begin() + static_cast<std::ptrdiff_t>(first), front.end(),
                     [&](std::size_t candidate) { return points.NowhereWorse(candidate, point); });
    if (beats == front.end()) {
      front.push_back(point);
    } else {
      result.dominated_by[points.original(point)] = points.original(*beats);
    }
  }
  for (const std::size_t point : front) result.front.push_back(points.original(point));
  return result;
}

}  // namespace cboard::analysis
