#include "server/api/series_encoder.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace cboard::server {
namespace {

std::size_t Padded(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

std::uint64_t Bits(double value) { return std::bit_cast<std::uint64_t>(value); }

std::int64_t WrappingSubtract(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

// Doubles of one sign are ordered as their bits, and within a binade one ulp is one bit: first +
// k * ulp is exact as long as the exponent stays the same and k fits.
bool IsNear(std::uint64_t bits, std::uint64_t base) {
  return (((bits - base) >> 32) | ((bits ^ base) >> 52)) == 0;
}

}  // namespace

SeriesPoints PointsOf(const ScalarSeries& series) {
  return {.count = series.size(),
          .last_wall_time_seconds = series.empty() ? 0 : series.back().wall_time_seconds,
          .for_each_block = [&series](const auto& visit) { series.ForEachBlock(visit); }};
}

SeriesPoints PointsOf(const ScalarBlock& points) {
  const bool empty = points.steps.empty();
  return {.count = points.steps.size(),
          .last_wall_time_seconds = empty ? 0 : points.wall_times_seconds.back(),
          .for_each_block = [points, empty](const auto& visit) {
            if (!empty) visit(points);
          }};
}

EncodedSeries EncodedSeries::Append(const SeriesPoints& points, BodyBuffer& out) {
  EncodedSeries series;
  series.count_ = points.count;
  const std::size_t begin = out.size();
  for (bool complete = false; !complete;) {
    out.CutTo(begin);
    const std::size_t steps_at = out.size();
    const std::size_t walls_at = steps_at + (series.has_stride_ ? 0 : 8 * points.count);
    const std::size_t values_at = walls_at + Padded(series.WallBytes() * points.count);
    const std::size_t end = values_at + Padded(series.ValueBytes() * points.count);
    // Zeros where padding will be.
    char* const bytes = out.Extend(end - begin) - begin;
    if (end > begin) std::memset(bytes + end - 8, 0, 8);
    if (values_at > walls_at) std::memset(bytes + values_at - 8, 0, 8);

    complete = true;
    std::size_t index = 0;
    points.for_each_block([&](const ScalarBlock& block) {
      if (!complete) return;
      if (index == 0) {
        series.first_wall_time_ = block.wall_times_seconds[0];
        const bool is_usual = series.first_wall_time_ > 0 && std::isfinite(series.first_wall_time_);
        if (series.has_ulps_ && !(is_usual && IsNear(Bits(points.last_wall_time_seconds),
                                                     Bits(series.first_wall_time_)))) {
          series.has_ulps_ = complete = false;
          return;
        }
      }
      complete =
          series.WriteBlock(index, block, bytes + steps_at, bytes + walls_at, bytes + values_at);
      index += block.steps.size();
    });
  }
  return series;
}

bool EncodedSeries::WriteBlock(std::size_t index, const ScalarBlock& block, char* steps,
                               char* walls, char* values) {
  return WriteSteps(index, block.steps, steps + index * 8) &&
         WriteWallTimes(block.wall_times_seconds, walls + index * WallBytes()) &&
         WriteValues(block.values, values + index * ValueBytes());
}

bool EncodedSeries::WriteSteps(std::size_t index, std::span<const std::int64_t> steps, char* out) {
  if (!has_stride_) {
    std::memcpy(out, steps.data(), steps.size_bytes());
    return true;
  }
  if (index == 0) {
    first_step_ = steps[0];
    if (steps.size() > 1) stride_ = WrappingSubtract(steps[1], steps[0]);
  } else if (index == 1) {
    stride_ = WrappingSubtract(steps[0], first_step_);
  }
  const auto stride = static_cast<std::uint64_t>(stride_);
  std::uint64_t expected = static_cast<std::uint64_t>(first_step_) + stride * index;
  std::uint64_t different = 0;
  for (const std::int64_t step : steps) {
    different |= static_cast<std::uint64_t>(step) ^ expected;
    expected += stride;
  }
  has_stride_ = different == 0;
  return has_stride_;
}

bool EncodedSeries::WriteWallTimes(std::span<const double> wall_times, char* out) {
  if (!has_ulps_) {
    std::memcpy(out, wall_times.data(), wall_times.size_bytes());
    return true;
  }
  const std::uint64_t base = Bits(first_wall_time_);
  std::uint64_t far = 0;
  for (std::size_t i = 0; i < wall_times.size(); ++i) {
    const std::uint64_t bits = Bits(wall_times[i]);
    far |= ((bits - base) >> 32) | ((bits ^ base) >> 52);  // As IsNear.
    const auto distance = static_cast<std::uint32_t>(bits - base);
    std::memcpy(out + 4 * i, &distance, 4);
  }
  has_ulps_ = far == 0;
  return has_ulps_;
}

bool EncodedSeries::WriteValues(std::span<const double> values, char* out) {
  if (!has_floats_) {
    std::memcpy(out, values.data(), values.size_bytes());
    return true;
  }
  // Without branches, so that the compiler takes several at a time. What is too large for a float
  // becomes infinity, which differs; NaN differs from itself.
  std::uint64_t different = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto narrow = static_cast<float>(values[i]);
    const double wide = narrow;
    different |= static_cast<std::uint64_t>(wide != values[i]) &
                 static_cast<std::uint64_t>(values[i] == values[i]);
    std::memcpy(out + 4 * i, &narrow, 4);
  }
  has_floats_ = different == 0;
  return has_floats_;
}

void EncodedSeries::Describe(JsonWriter& json) const {
  json.Key("points").Value(count_);
  json.Key("steps").BeginObject();
  if (has_stride_) {
    json.Key("kind").Value("stride").Key("first").Value(first_step_).Key("stride").Value(stride_);
  } else {
    json.Key("kind").Value("i64");
  }
  json.EndObject().Key("wall_times").BeginObject();
  if (has_ulps_ && count_ > 0) {
    // A power of two, so that the product with a whole number is exact.
    const double ulp = std::nextafter(first_wall_time_, std::numeric_limits<double>::infinity()) -
                       first_wall_time_;
    json.Key("kind").Value("ulp32").Key("first").Value(first_wall_time_).Key("ulp").Value(ulp);
  } else {
    json.Key("kind").Value("f64");
  }
  json.EndObject().Key("values").BeginObject();
  json.Key("kind").Value(has_floats_ ? "f32" : "f64").EndObject();
}

}  // namespace cboard::server
