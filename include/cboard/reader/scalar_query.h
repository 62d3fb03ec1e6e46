// Samples scalar series for charts: many series at once, on a chosen axis, and with as many points
// as the chart can show.
//
//   for (const Result<SampledSeries>& curve : SampleSeries(tags, {.axis = ScalarAxis::kRelative,
//                                                                 .max_points = 2000})) …
//
// All functions are pure. They scan a series once. They allocate no memory in proportion to the
// size of the series, unless their comment says so.
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

  // Weight of TensorBoard's smoothing, in [0, 1). The smoothing is an exponential moving average
  // with a correction for its start. It uses all points of the series, including points that are
  // outside the range or not sampled. NaN and infinite values stay unchanged and do not affect
  // other points. Constant series stay unchanged.
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

// Samples one series. If the x values ascend, the result includes the nearest point beyond each end
// of the range, so that lines reach the edge of the chart. For `steps_ascend`, pass
// Tag::steps_ascend. Fails with kInvalidArgument if the query is invalid.
Result<SampledSeries> SampleSeries(const ScalarSeries& series, bool steps_ascend,
                                   const ScalarQuery& query);

// Samples many series, in the given order. Each tag must be a scalar.
std::vector<Result<SampledSeries>> SampleSeries(std::span<const Tag* const> tags,
                                                const ScalarQuery& query);

// A curve of points (x, y), sorted by x. If several logged points have the same x, the last one is
// used.
struct Curve {
  std::vector<double> xs;
  std::vector<double> ys;
};

// Reads all points of a series in the range. Fails with kResourceExhausted if there are more than
// `max_points`; a smaller range then helps.
Result<Curve> ReadCurve(const ScalarSeries& series, ScalarAxis axis, const XRange& range = {},
                        std::size_t max_points = std::size_t{1} << 24);

// Several curves in one table. The rows are the union of the x values of all curves; each curve has
// one column.
struct AlignedCurves {
  struct Column {
    std::vector<double> ys;  // One per x; 0 if the curve has no point there.
    std::vector<bool> has_point;
  };
  std::vector<double> xs;
  std::vector<Column> columns;
};

// Combines curves in a table, without interpolation. Fails with kResourceExhausted if the table has
// more than `max_cells` cells.
Result<AlignedCurves> AlignCurves(std::span<const Curve> curves,
                                  std::size_t max_cells = std::size_t{1} << 24);

// Statistics over the curves of a group, for example over the seeds of one experiment. There is one
// row for each x that any of the curves has. All columns have the same length.
struct GroupCurve {
  std::vector<double> xs;
  std::vector<double> mean;
  std::vector<double> min;
  std::vector<double> max;
  std::vector<double> standard_deviation;  // Sample deviation (n - 1); 0 if there is one member.
  std::vector<std::uint32_t> members;      // Number of members with a value here, at least 1.
  bool exact = true;                       // True if no x of the union was left out.
};

// Computes the statistics of a group of curves. If a curve has no point at an x, its value is
// interpolated linearly between its two neighbouring points. Before its first and after its last
// point, a curve has no value. NaN and infinite points are ignored. If there are more than
// `max_points` x values, those that show the smallest minimum and the largest maximum are chosen
// (see SampleExtremes). Fails with kResourceExhausted if the number of x values times the number of
// curves exceeds `max_cells`.
Result<GroupCurve> GroupCurves(std::span<const Curve> members, std::size_t max_points = 1000,
                               std::size_t max_cells = std::size_t{1} << 26);

// Applies TensorBoard's smoothing to all values of a series. ScalarQuery::smoothing describes it.
std::vector<double> Smooth(std::span<const double> values, double weight);

}  // namespace cboard::reader
