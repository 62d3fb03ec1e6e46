// Curves for charts: many series at once, on the axis and for the pixels asked for.
//
//   for (const Result<SampledSeries>& curve : SampleSeries(tags, {.axis = ScalarAxis::kRelative,
//                                                                 .max_points = 2000})) …
//
// All functions are pure; a series is scanned once, at the speed of its columns, and nothing of the
// size of the series is allocated unless a function says so.
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

// Both ends are part of the range.
struct XRange {
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
};

struct ScalarQuery {
  ScalarAxis axis = ScalarAxis::kStep;
  XRange range;
  std::size_t max_points = 1000;  // Per series; see downsample.h.

  // TensorBoard's smoothing: an exponential moving average that is corrected for its start, in
  // [0, 1). It runs over all points of the series, before any are left out, also those outside the
  // range. NaN and infinities stay themselves and do not enter it; constant series stay as they
  // are.
  double smoothing = 0;
};

// Columns of equal length.
struct SampledSeries {
  std::vector<double> xs;  // On the axis asked for.
  std::vector<std::int64_t> steps;
  std::vector<double> wall_times_seconds;
  std::vector<double> values;       // NaN and infinities among them.
  std::vector<double> smoothed;     // Empty unless asked for.
  std::size_t points_in_range = 0;  // Points of the series within the range.
  bool exact = true;                // Every point in the range is there.
};

// The points of one series. Where the axis ascends, the nearest point beyond either end of the
// range is there too, so that lines run to the edge of the chart. `steps_ascend` is
// Tag::steps_ascend. Fails with kInvalidArgument when the query makes no sense.
Result<SampledSeries> SampleSeries(const ScalarSeries& series, bool steps_ascend,
                                   const ScalarQuery& query);

// Many, in the order given; each must be a scalar tag.
std::vector<Result<SampledSeries>> SampleSeries(std::span<const Tag* const> tags,
                                                const ScalarQuery& query);

// A curve as (x, y), sorted by x; of several points at one x the last one logged.
struct Curve {
  std::vector<double> xs;
  std::vector<double> ys;
};

// Fails with kResourceExhausted when more than `max_points` lie in the range: zoom in.
Result<Curve> ReadCurve(const ScalarSeries& series, ScalarAxis axis, const XRange& range = {},
                        std::size_t max_points = std::size_t{1} << 24);

// Several curves in one table: the union of their xs, and a column for each.
struct AlignedCurves {
  struct Column {
    std::vector<double> ys;  // One per x; 0 where there is no point.
    std::vector<bool> has_point;
  };
  std::vector<double> xs;
  std::vector<Column> columns;
};

// Nothing is interpolated. Fails with kResourceExhausted when the table has over `max_cells` cells.
Result<AlignedCurves> AlignCurves(std::span<const Curve> curves,
                                  std::size_t max_cells = std::size_t{1} << 24);

// Statistics of the members of a group (seeds of one experiment), at each x of the union of their
// xs. Columns of equal length.
struct GroupCurve {
  std::vector<double> xs;
  std::vector<double> mean;
  std::vector<double> min;
  std::vector<double> max;
  std::vector<double> standard_deviation;  // Sample (n - 1); 0 where there is one member.
  std::vector<std::uint32_t> members;      // How many have a value here, at least 1.
  bool exact = true;                       // No x of the union was left out.
};

// A member without a point at an x has the value on the line between its two neighbouring points;
// before its first point and after its last it has none. Points that are NaN or infinite are no
// values, and nothing is interpolated towards them. Where more than `max_points` xs come out, those
// are kept that the least of the minima and the greatest of the maxima need, see SampleExtremes.
// Fails with kResourceExhausted when union times members exceeds `max_cells`.
Result<GroupCurve> GroupCurves(std::span<const Curve> members, std::size_t max_points = 1000,
                               std::size_t max_cells = std::size_t{1} << 26);

// TensorBoard's smoothing of a whole column, as ScalarQuery describes it.
std::vector<double> Smooth(std::span<const double> values, double weight);

}  // namespace cboard::reader
