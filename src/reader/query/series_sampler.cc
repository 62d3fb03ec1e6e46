#include "reader/query/series_sampler.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "cboard/base/strings.h"
#include "reader/query/downsample.h"
#include "reader/query/extreme_sampler.h"
#include "reader/query/smoother.h"

namespace cboard::reader {
namespace {

// Computes the x value of a point for the chosen axis.
struct Axis {
  ScalarAxis kind;
  double origin = 0;

  double operator()(const ScalarPoint& point) const {
    return kind == ScalarAxis::kStep ? static_cast<double>(point.step)
                                     : point.wall_time_seconds - origin;
  }
  double operator()(const ScalarBlock& block, std::size_t i) const {
    return kind == ScalarAxis::kStep ? static_cast<double>(block.steps[i])
                                     : block.wall_times_seconds[i] - origin;
  }
};

Axis AxisOf(const ScalarSource& source, ScalarAxis kind) {
  const bool relative = kind == ScalarAxis::kRelative && source.size > 0;
  return {kind, relative ? source.at(0).wall_time_seconds : 0.0};
}

bool WallTimesAscend(const ScalarSource& source) {
  bool ascend = true;
  double previous = -std::numeric_limits<double>::infinity();
  source.for_each_block(0, source.size, [&](const ScalarBlock& block) {
    for (const double time : block.wall_times_seconds) {
      ascend &= previous <= time;  // NaN ends the ascending range.
      previous = time;
    }
  });
  return ascend;
}

// Returns the first index in [begin, end) for which `is_beyond` is true. `is_beyond` must also be
// true for all later indices.
template <typename Predicate>
std::size_t FirstIndex(std::size_t begin, std::size_t end, const Predicate& is_beyond) {
  while (begin < end) {
    const std::size_t middle = begin + (end - begin) / 2;
    if (is_beyond(middle)) {
      end = middle;
    } else {
      begin = middle + 1;
    }
  }
  return begin;
}

struct Slice {
  std::size_t first = 0;
  std::size_t last = 0;  // One past the last index.
  std::size_t in_range = 0;
};

// Returns the points in the range, and one neighbour on each side. The axis must ascend.
Slice SliceOf(const ScalarSource& source, const Axis& axis, const XRange& range) {
  const auto x = [&](std::size_t i) { return axis(source.at(i)); };
  std::size_t first = 0, last = source.size;
  if (std::isfinite(range.min)) {
    first = FirstIndex(0, source.size, [&](std::size_t i) { return x(i) >= range.min; });
  }
  if (std::isfinite(range.max)) {
    last = FirstIndex(first, source.size, [&](std::size_t i) { return x(i) > range.max; });
  }
  const std::size_t in_range = last - first;
  return {first > 0 ? first - 1 : first, last < source.size ? last + 1 : last, in_range};
}

// Returns the indices to keep from a slice, by intervals of equal width. The axis must ascend.
std::vector<std::size_t> SampleByX(const ScalarSource& source, const Axis& axis, const Slice& slice,
                                   std::size_t stretches) {
  const double left = axis(source.at(slice.first));
  const double width = axis(source.at(slice.last - 1)) - left;
  const bool by_x = std::isfinite(width) && width > 0;
  const std::size_t count = slice.last - slice.first;
  std::vector<std::size_t> kept;
  ExtremeSampler sampler;
  std::size_t stretch = 0, index = slice.first;
  source.for_each_block(slice.first, count, [&](const ScalarBlock& block) {
    const std::size_t size = block.values.size();
    // Returns the position in the block at which the current interval ends.
    const auto end_of_stretch = [&](std::size_t begin) {
      if (stretch + 1 == stretches) return size;
      if (!by_x) {
        const std::size_t edge = slice.first + count * (stretch + 1) / stretches;
        return std::min(size, edge > index ? edge - index : 0);
      }
      const double edge =
          left + width * (static_cast<double>(stretch + 1) / static_cast<double>(stretches));
      if (axis(block, size - 1) < edge) return size;
      return FirstIndex(begin, size, [&](std::size_t i) { return axis(block, i) >= edge; });
    };
    for (std::size_t begin = 0; begin < size;) {
      const std::size_t end = end_of_stretch(begin);
      const auto values = block.values.subspan(begin, end - begin);
      sampler.Add(index + begin, values, values);
      if (end < size) {
        const auto indices = sampler.EndStretch();
        kept.insert(kept.end(), indices.begin(), indices.end());
        ++stretch;
      }
      begin = end;
    }
    index += size;
  });
  const auto indices = sampler.EndStretch();
  kept.insert(kept.end(), indices.begin(), indices.end());
  return kept;
}

// Returns the indices to keep if the axis does not ascend: points in the range, in groups of equal
// size. Reads points one by one, because such series are rare and short.
std::vector<std::size_t> SampleByCount(const ScalarSource& source, const Axis& axis,
                                       const XRange& range, std::size_t max_points,
                                       std::size_t& in_range) {
  const auto for_each = [&](const auto& visit) {
    std::size_t index = 0;
    source.for_each_block(0, source.size, [&](const ScalarBlock& block) {
      for (std::size_t i = 0; i < block.values.size(); ++i, ++index) {
        const double x = axis(block, i);
        if (!(x < range.min) && !(x > range.max)) visit(index, block.values.subspan(i, 1));
      }
    });
  };
  in_range = 0;
  for_each([&](std::size_t, std::span<const double>) { ++in_range; });
  std::vector<std::size_t> kept;
  if (in_range <= max_points) {
    for_each([&](std::size_t index, std::span<const double>) { kept.push_back(index); });
    return kept;
  }
  const std::size_t stretches = std::max<std::size_t>(1, max_points / kPointsPerStretch);
  ExtremeSampler sampler;
  std::size_t seen = 0, stretch = 1;
  for_each([&](std::size_t index, std::span<const double> value) {
    sampler.Add(index, value, value);
    if (++seen < in_range * stretch / stretches) return;
    const auto indices = sampler.EndStretch();
    kept.insert(kept.end(), indices.begin(), indices.end());
    ++stretch;
  });
  return kept;
}

// Returns the smoothed values of the kept points. `kept` ascends.
std::vector<double> SmoothedAt(const ScalarSource& source, std::span<const std::size_t> kept,
                               double weight) {
  std::vector<double> smoothed;
  smoothed.reserve(kept.size());
  Smoother smoother(weight);
  ConstantCheck check;
  std::size_t index = 0;
  source.for_each_block(0, source.size, [&](const ScalarBlock& block) {
    for (const double value : block.values) {
      check.See(value);
      const double next = smoother.Next(value);
      if (smoothed.size() < kept.size() && kept[smoothed.size()] == index) smoothed.push_back(next);
      ++index;
    }
  });
  // A constant series is not smoothed; the caller then uses the values themselves.
  if (check.constant()) smoothed.clear();
  return smoothed;
}

Result<void> Check(const ScalarQuery& query) {
  if (!(query.smoothing >= 0 && query.smoothing < 1)) {
    return Fail(ErrorCode::kInvalidArgument, "smoothing is " + ShortestDecimal(query.smoothing) +
                                                 ", but must be at least 0 and below 1");
  }
  if (!(query.range.min <= query.range.max)) {
    return Fail(ErrorCode::kInvalidArgument,
                "the start of the x range, " + ShortestDecimal(query.range.min) +
                    ", is above its end, " + ShortestDecimal(query.range.max));
  }
  if (query.max_points == 0) {
    return Fail(ErrorCode::kInvalidArgument, "max_points is 0, expected 1 or more");
  }
  return {};
}

}  // namespace

Result<SampledSeries> Sample(const ScalarSource& source, bool steps_ascend,
                             const ScalarQuery& query) {
  CBOARD_RETURN_IF_ERROR(Check(query));
  SampledSeries result;
  if (source.size == 0) return result;
  const Axis axis = AxisOf(source, query.axis);
  const bool ascends = query.axis == ScalarAxis::kStep ? steps_ascend : WallTimesAscend(source);
  std::vector<std::size_t> kept;
  if (ascends) {
    const Slice slice = SliceOf(source, axis, query.range);
    result.points_in_range = slice.in_range;
    const std::size_t count = slice.last - slice.first;
    if (count <= query.max_points) {
      for (std::size_t i = slice.first; i < slice.last; ++i) kept.push_back(i);
    } else {
      kept = SampleByX(source, axis, slice,
                       std::max<std::size_t>(1, query.max_points / kPointsPerStretch));
    }
    result.exact = kept.size() == count;
  } else {
    kept = SampleByCount(source, axis, query.range, query.max_points, result.points_in_range);
    result.exact = kept.size() == result.points_in_range;
  }

  const auto add = [&](const ScalarPoint& point) {
    result.xs.push_back(axis(point));
    result.steps.push_back(point.step);
    result.wall_times_seconds.push_back(point.wall_time_seconds);
    result.values.push_back(point.value);
  };
  for (const std::size_t index : kept) add(source.at(index));
  if (query.smoothing > 0) {
    result.smoothed = SmoothedAt(source, kept, query.smoothing);
    if (result.smoothed.empty()) result.smoothed = result.values;
  }
  return result;
}

Result<Curve> Read(const ScalarSource& source, ScalarAxis kind, const XRange& range,
                   std::size_t max_points) {
  const Axis axis = AxisOf(source, kind);
  std::vector<std::pair<double, double>> points;
  bool sorted = true, too_many = false;
  source.for_each_block(0, source.size, [&](const ScalarBlock& block) {
    for (std::size_t i = 0; i < block.values.size() && !too_many; ++i) {
      const double x = axis(block, i);
      if (!(x >= range.min && x <= range.max)) continue;  // NaN has no position on an axis.
      too_many = points.size() == max_points;
      if (too_many) return;
      sorted = sorted && (points.empty() || points.back().first <= x);
      points.emplace_back(x, block.values[i]);
    }
  });
  if (too_many) {
    return Fail(ErrorCode::kResourceExhausted,
                "the series has more than " + HumanCount(max_points) +
                    " points in this range, so not all are shown; zoom in to see all");
  }
  if (!sorted) std::ranges::stable_sort(points, {}, &std::pair<double, double>::first);
  Curve curve;
  curve.xs.reserve(points.size());
  curve.ys.reserve(points.size());
  for (const auto& [x, y] : points) {
    if (!curve.xs.empty() && curve.xs.back() == x) {
      curve.ys.back() = y;
    } else {
      curve.xs.push_back(x);
      curve.ys.push_back(y);
    }
  }
  return curve;
}

}  // namespace cboard::reader
