// Combines several curves: as columns of one table, or as one curve with its mean, min, max and
// deviation.
#include <algorithm>
#include <cmath>
#include <string>

#include "cboard/base/strings.h"
#include "cboard/reader/scalar_query.h"
#include "reader/query/downsample.h"

namespace cboard::reader {
namespace {

std::vector<double> UnionOfXs(std::span<const Curve> curves) {
  std::size_t total = 0;
  for (const Curve& curve : curves) total += curve.xs.size();
  std::vector<double> xs;
  xs.reserve(total);
  for (const Curve& curve : curves) xs.insert(xs.end(), curve.xs.begin(), curve.xs.end());
  std::ranges::sort(xs);
  xs.erase(std::unique(xs.begin(), xs.end()), xs.end());
  return xs;
}

Result<void> CheckCells(std::size_t rows, std::size_t columns, std::size_t max_cells) {
  if (columns == 0 || rows <= max_cells / columns) return {};
  return Fail(ErrorCode::kResourceExhausted, HumanCount(columns) + " curves have " +
                                                 HumanCount(rows) +
                                                 " different x values together, which are too many "
                                                 "for a table; zoom in, or choose fewer curves");
}

// The mean, deviation, min and max of the values at one x, updated value by value (Welford's
// algorithm).
struct Spread {
  std::uint32_t members = 0;
  double mean = 0;
  double squares = 0;  // The sum of squared distances from the mean.
  double min = 0;
  double max = 0;

  void Add(double value) {
    min = members == 0 ? value : std::min(min, value);
    max = members == 0 ? value : std::max(max, value);
    ++members;
    const double distance = value - mean;
    mean += distance / members;
    squares += distance * (value - mean);
  }
};

// Calls `visit(row, y)` for each row of `xs` at which the curve has a finite value. Interpolates
// between the curve's points.
template <typename Visit>
void Interpolate(const Curve& curve, std::span<const double> xs, const Visit& visit) {
  std::size_t next = 0;  // The first point of the curve at or after the row.
  const auto first = std::ranges::lower_bound(xs, curve.xs.empty() ? 0.0 : curve.xs.front());
  for (auto row = static_cast<std::size_t>(first - xs.begin()); row < xs.size(); ++row) {
    const double x = xs[row];
    while (next < curve.xs.size() && curve.xs[next] < x) ++next;
    if (next == curve.xs.size()) return;
    double y = curve.ys[next];
    if (curve.xs[next] != x) {
      const double left = curve.xs[next - 1], right = curve.xs[next];
      const double low = curve.ys[next - 1];
      // The result is not finite if one of the two points is not finite.
      y = low + (y - low) * ((x - left) / (right - left));
    }
    if (std::isfinite(y)) visit(row, y);
  }
}

}  // namespace

Result<AlignedCurves> AlignCurves(std::span<const Curve> curves, std::size_t max_cells) {
  AlignedCurves aligned;
  aligned.xs = UnionOfXs(curves);
  CBOARD_RETURN_IF_ERROR(CheckCells(aligned.xs.size(), curves.size(), max_cells));
  for (const Curve& curve : curves) {
    AlignedCurves::Column& column = aligned.columns.emplace_back();
    column.ys.resize(aligned.xs.size());
    column.has_point.resize(aligned.xs.size());
    std::size_t row = 0;
    for (std::size_t i = 0; i < curve.xs.size(); ++i) {
      while (aligned.xs[row] < curve.xs[i]) ++row;
      column.ys[row] = curve.ys[i];
      column.has_point[row] = true;
    }
  }
  return aligned;
}

Result<GroupCurve> GroupCurves(std::span<const Curve> members, std::size_t max_points,
                               std::size_t max_cells) {
  std::vector<double> xs = UnionOfXs(members);
  CBOARD_RETURN_IF_ERROR(CheckCells(xs.size(), members.size(), max_cells));
  std::vector<Spread> spreads(xs.size());
  for (const Curve& member : members) {
    Interpolate(member, xs, [&](std::size_t row, double y) { spreads[row].Add(y); });
  }
  std::vector<double> shown_xs, lows, highs;
  std::vector<const Spread*> shown;
  for (std::size_t row = 0; row < xs.size(); ++row) {
    if (spreads[row].members == 0) continue;
    shown_xs.push_back(xs[row]);
    lows.push_back(spreads[row].min);
    highs.push_back(spreads[row].max);
    shown.push_back(&spreads[row]);
  }
  GroupCurve group;
  for (const std::size_t i : SampleExtremes(shown_xs, lows, highs, max_points)) {
    const Spread& spread = *shown[i];
    group.xs.push_back(shown_xs[i]);
    group.mean.push_back(spread.mean);
    group.min.push_back(spread.min);
    group.max.push_back(spread.max);
    group.standard_deviation.push_back(
        spread.members > 1 ? std::sqrt(spread.squares / (spread.members - 1)) : 0.0);
    group.members.push_back(spread.members);
  }
  group.exact = group.xs.size() == shown.size();
  return group;
}

}  // namespace cboard::reader
