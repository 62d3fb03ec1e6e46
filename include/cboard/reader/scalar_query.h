// Samples scalar series for charts: many at once, on a chosen axis and at the resolution of the
// chart.
//
//   for (const Result<SampledSeries>& curve : SampleSeries(tags, {.axis = ScalarAxis::kRelative,
//                                                                 .max_points = 2000})) …
//
// All functions are pure. They scan a series once, and allocate no memory of the size of the series
// unless their comment says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/reader/series.h"
#include "cboard/reader/snapshot.h"

namespace cboard::reader {

enum class ScalarAxis {
  kStep,
  kRelative,  // Seconds since the first point of the series.
  kWall,      // Seconds since 1970.
};

// A range of the x axis, including both ends.
struct XRange {
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
};

struct ScalarQuery {
  ScalarAxis axis = ScalarAxis::kStep;
  XRange range;
  std::size_t max_points = 1000;  // Per series; see downsample.h.

  // Weight of TensorBoard's smoothing, in [0, 1): an exponential moving average with a correction
  // for its start. It uses all points of the series, also points that are outside the range or not
  // sampled. NaN and infinities are not changed and do not affect other points; constant series are
  // not changed.
  double smoothing = 0;
};

// A sampled series, as columns of equal length.
struct SampledSeries {
  std::vector<double> xs;  // In units of the requested axis.
  std::vector<std::int64_t> steps;
  std::vector<double> wall_times_seconds;
  std::vector<double> values;       // May contain NaN and infinities.
  std::vector<double> smoothed;     // Empty unless requested.
  std::size_t points_in_range = 0;  // Points of the series within the range.
  bool exact = true;                // True if every point in the range is included.
};

// Samples one series. If the axis ascends, the nearest point outside each end of the range is
// included, so that lines reach the edge of the chart. `steps_ascend` is Tag::steps_ascend. Fails
// with kInvalidArgument if the query is invalid.
Result<SampledSeries> SampleSeries(const ScalarSeries& series, bool steps_ascend,
                                   const ScalarQuery& query);

// Samples many series, in the given order; each tag must be a scalar.
std::vector<Result<SampledSeries>> SampleSeries(std::span<const Tag* const> tags,
                                                const ScalarQuery& query);

// A curve as (x, y), sorted by x. If several points have the same x, the last logged one is used.
struct Curve {
  std::vector<double> xs;
  std::vector<double> ys;
};

// Reads all points of a series in the range. Fails with kResourceExhausted if there are more than
// `max_points`; use a smaller range then.
Result<Curve> ReadCurve(const ScalarSeries& series, ScalarAxis axis, const XRange& range = {},
                        std::size_t max_points = std::size_t{1} << 24);

// Several curves in one table: the union of their xs, and a column per curve.
struct AlignedCurves {
  struct Column {
    std::vector<double> ys;  // One per x; 0 if the curve has no point there.
    std::vector<bool> has_point;
  };
  std::vector<double> xs;
  std::vector<Column> columns;
};

// Aligns curves without interpolation. Fails with kResourceExhausted if the table has over
// `max_cells` cells.
Result<AlignedCurves> AlignCurves(std::span<const Curve> curves,
                                  std::size_t max_cells = std::size_t{1} << 24);

// Statistics over the members of a group (for example seeds of one experiment), at each x of the
// union of their xs. All columns have the same length.
struct GroupCurve {
  std::vector<double> xs;
  std::vector<double> mean;
  std::vector<double> min;
  std::vector<double> max;
  std::vector<double> standard_deviation;  // Sample deviation (n - 1); 0 if there is one member.
  std::vector<std::uint32_t> members;      // Number of members with a value here, at least 1.
  bool exact = true;                       // True if no x of the union was left out.
};

// Computes the statistics of a group. A member without a point at an x has the linearly
// interpolated value of its two neighbouring points; it has no value before its first or after its
// last point. NaN and infinite points are no values, and do not take part in interpolation. If
// there are more than `max_points` xs, those that show the smallest minimum and the largest maximum
// are chosen, see SampleExtremes. Fails with kResourceExhausted if the number of xs times members
// exceeds `max_cells`.
Result<GroupCurve> GroupCurves(std::span<const Curve> members, std::size_t max_points = 1000,
                               std::size_t max_cells = std::size_t{1} << 26);

// Applies TensorBoard's smoothing to a whole column, as described in ScalarQuery.
std::vector<double> Smooth(std::span<const double> values, double weight);

}  // namespace cboard::reader
