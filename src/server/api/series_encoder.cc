#include "server/api/series_encoder.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace cboard::server {
namespace {

std::size_t Padded(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

std::uint64_t Bits(double value) { return std::bit_cast<std::uint64_t>(value); }

std::int64_t Signed(std::uint64_t value) { return static_cast<std::int64_t>(value); }

// Returns true if readers with 64-bit numbers can add up `count` steps without overflow.
bool StaysInRange(std::int64_t first, std::int64_t stride, std::size_t count) {
  std::int64_t distance = 0, last = 0;
  return !__builtin_mul_overflow(stride, count - 1, &distance) &&
         !__builtin_add_overflow(first, distance, &last);
}

}  // namespace

SeriesPoints PointsOf(const reader::ScalarSeries& series) {
  return {.count = series.size(),
          .first_wall_time_seconds = series.empty() ? 0 : series.front().wall_time_seconds,
          .last_wall_time_seconds = series.empty() ? 0 : series.back().wall_time_seconds,
          .for_each_stored = [&series](const auto& visit) { series.ForEachStored(visit); }};
}

SeriesPoints PointsOf(const reader::ScalarBlock& points) {
  const bool empty = points.steps.empty();
  return {.count = points.steps.size(),
          .first_wall_time_seconds = empty ? 0 : points.wall_times_seconds.front(),
          .last_wall_time_seconds = empty ? 0 : points.wall_times_seconds.back(),
          .for_each_stored = [points, empty](const auto& visit) {
            if (empty) return;
            visit({.count = points.steps.size(),
                   .steps = std::as_bytes(points.steps).data(),
                   .wall_times_seconds = std::as_bytes(points.wall_times_seconds).data(),
                   .values = std::as_bytes(points.values).data()});
          }};
}

EncodedSeries EncodedSeries::Append(const SeriesPoints& points, BodyBuffer& out,
                                    bool with_wall_times) {
  EncodedSeries series;
  if (!with_wall_times) series.wall_times_ = WallTimes::kNone;
  series.count_ = points.count;
  if (points.count == 0) return series;
  series.first_wall_time_ = points.first_wall_time_seconds;
  const std::uint64_t first = Bits(points.first_wall_time_seconds);
  const std::uint64_t last = Bits(points.last_wall_time_seconds);
  if (with_wall_times && std::isnormal(series.first_wall_time_) && series.first_wall_time_ > 0 &&
      AreInOneBinade(first, last)) {
    series.wall_times_ = (last - first) >> 32 == 0 ? WallTimes::kDistances : WallTimes::kGaps;
  }
  const std::size_t begin = out.size();
  while (!series.TryAppend(points, out)) out.CutTo(begin);
  return series;
}

bool EncodedSeries::TryAppend(const SeriesPoints& points, BodyBuffer& out) {
  const std::size_t walls_at = has_stride_ ? 0 : 8 * points.count;
  const std::size_t values_at = walls_at + Padded(WallBytes() * points.count);
  const std::size_t end = values_at + Padded(ValueBytes() * points.count);
  char* const bytes = out.Extend(end);
  if (values_at > 0) std::memset(bytes + values_at - 8, 0, 8);  // Zeros in the padding.
  std::memset(bytes + end - 8, 0, 8);
  previous_wall_bits_ = Bits(first_wall_time_);
  bool fits = true;
  std::size_t index = 0;
  points.for_each_stored([&](const reader::StoredScalars& some) {
    fits = fits && WriteStepColumn(index, some, bytes) &&
           WriteWallColumn(some, bytes + walls_at + index * WallBytes()) &&
           WriteValueColumn(some, bytes + values_at + index * ValueBytes());
    index += some.count;
  });
  return fits;
}

bool EncodedSeries::WriteStepColumn(std::size_t index, const reader::StoredScalars& points,
                                    char* out) {
  if (!has_stride_) {
    WriteSteps(points, out + index * 8);
    return true;
  }
  if (index == 0) first_step_ = Signed(StepOf(points, 0));
  if (index <= 1 && index + points.count > 1) {  // The spacing needs two points.
    stride_ = Signed(StepOf(points, 1 - index) - static_cast<std::uint64_t>(first_step_));
  }
  const auto stride = static_cast<std::uint64_t>(stride_);
  has_stride_ = StaysInRange(first_step_, stride_, index + points.count) &&
                HasStride(points, static_cast<std::uint64_t>(first_step_) + stride * index, stride);
  return has_stride_;
}

bool EncodedSeries::WriteWallColumn(const reader::StoredScalars& points, char* out) {
  if (wall_times_ == WallTimes::kNone) return true;
  const std::uint64_t first = Bits(first_wall_time_);
  if (wall_times_ == WallTimes::kDistances) {
    if (WriteDistances(points, first, out)) return true;
    wall_times_ = WallTimes::kGaps;
    return false;
  }
  if (wall_times_ == WallTimes::kGaps) {
    if (WriteGaps(points, first, previous_wall_bits_, out)) return true;
    wall_times_ = WallTimes::kDoubles;
    return false;
  }
  WriteWallTimes(points, out);
  return true;
}

bool EncodedSeries::WriteValueColumn(const reader::StoredScalars& points, char* out) {
  if (has_floats_) {
    has_floats_ = WriteFloats(points, out);
    return has_floats_;
  }
  WriteDoubles(points, out);
  return true;
}

void EncodedSeries::Describe(JsonWriter& json) const {
  json.Key("points").Value(count_);
  json.Key("steps").BeginObject();
  if (has_stride_) {
    json.Key("kind").Value("stride").Key("first").Value(first_step_).Key("stride").Value(stride_);
  } else {
    json.Key("kind").Value("i64");
  }
  json.EndObject();
  if (wall_times_ != WallTimes::kNone) DescribeWallTimes(json);
  json.Key("values").BeginObject();
  json.Key("kind").Value(has_floats_ ? "f32" : "f64").EndObject();
}

void EncodedSeries::DescribeWallTimes(JsonWriter& json) const {
  json.Key("wall_times").BeginObject();
  if (wall_times_ == WallTimes::kDoubles) {
    json.Key("kind").Value("f64");
  } else {
    // The unit is a power of two, so multiplying it by an integer is exact.
    const double ulp = std::nextafter(first_wall_time_, std::numeric_limits<double>::infinity()) -
                       first_wall_time_;
    json.Key("kind").Value(wall_times_ == WallTimes::kDistances ? "ulp32" : "gap32");
    json.Key("first").Value(first_wall_time_).Key("ulp").Value(ulp);
  }
  json.EndObject();
}

}  // namespace cboard::server
