#include "server/api/series_encoder.h"

#include <bit>
#include <cmath>
#include <limits>

namespace cboard::server {
namespace {

template <typename T>
void AppendPadded(const std::vector<T>& column, std::string& out) {
  out.append(reinterpret_cast<const char*>(column.data()), column.size() * sizeof(T));
  out.append((8 - out.size() % 8) % 8, '\0');
}

std::int64_t WrappingAdd(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

std::int64_t WrappingMultiply(std::int64_t a, std::uint64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * b);
}

}  // namespace

SeriesEncoder::SeriesEncoder(std::size_t expected_points) {
  ulps_.reserve(expected_points);
  floats_.reserve(expected_points);
}

void SeriesEncoder::Append(const ScalarBlock& block) {
  if (block.steps.empty()) return;
  AppendSteps(block.steps);
  AppendWallTimes(block.wall_times_seconds);
  AppendValues(block.values);
  count_ += block.steps.size();
}

void SeriesEncoder::AppendSteps(std::span<const std::int64_t> steps) {
  if (count_ == 0) first_step_ = steps[0];
  if (has_stride_) {
    if (count_ == 0 && steps.size() > 1)
      stride_ = WrappingAdd(steps[1], WrappingMultiply(steps[0], ~std::uint64_t{0}));
    if (count_ == 1)
      stride_ = WrappingAdd(steps[0], WrappingMultiply(first_step_, ~std::uint64_t{0}));
    std::int64_t expected = WrappingAdd(first_step_, WrappingMultiply(stride_, count_));
    std::uint64_t different = 0;
    for (const std::int64_t step : steps) {
      different |= static_cast<std::uint64_t>(step) ^ static_cast<std::uint64_t>(expected);
      expected = WrappingAdd(expected, stride_);
    }
    if (different == 0) return;
    has_stride_ = false;
    for (std::size_t i = 0; i < count_; ++i) {
      steps_.push_back(WrappingAdd(first_step_, WrappingMultiply(stride_, i)));
    }
  }
  steps_.insert(steps_.end(), steps.begin(), steps.end());
}

void SeriesEncoder::AppendWallTimes(std::span<const double> wall_times) {
  if (count_ == 0) {
    first_wall_time_ = wall_times[0];
    // A power of two, so that first + k * ulp is exact within the same binade.
    has_ulps_ = first_wall_time_ > 0 && std::isfinite(first_wall_time_);
    ulp_ = has_ulps_ ? std::nextafter(first_wall_time_, std::numeric_limits<double>::infinity()) -
                           first_wall_time_
                     : 0;
  }
  if (has_ulps_) {
    // Doubles of one sign are ordered as their bits, and within a binade one ulp is one bit.
    const std::uint64_t base = std::bit_cast<std::uint64_t>(first_wall_time_);
    std::uint64_t out_of_range = 0;
    const std::size_t before = ulps_.size();
    ulps_.resize(before + wall_times.size());
    std::uint32_t* out = ulps_.data() + before;
    for (std::size_t i = 0; i < wall_times.size(); ++i) {
      const std::uint64_t bits = std::bit_cast<std::uint64_t>(wall_times[i]);
      const std::uint64_t offset = bits - base;
      out_of_range |= (offset >> 32) | ((bits ^ base) >> 52);
      out[i] = static_cast<std::uint32_t>(offset);
    }
    if (out_of_range == 0) return;
    has_ulps_ = false;
    wall_times_.reserve(before + wall_times.size());
    for (std::size_t i = 0; i < before; ++i) {
      wall_times_.push_back(std::bit_cast<double>(base + ulps_[i]));
    }
    ulps_.clear();
  }
  wall_times_.insert(wall_times_.end(), wall_times.begin(), wall_times.end());
}

void SeriesEncoder::AppendValues(std::span<const double> values) {
  if (has_floats_) {
    const std::size_t before = floats_.size();
    floats_.resize(before + values.size());
    float* out = floats_.data() + before;
    bool exact = true;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool fits = std::abs(values[i]) <= std::numeric_limits<float>::max();
      const float narrow = fits ? static_cast<float>(values[i]) : 0.0F;
      // NaN and infinities are floats too; NaN is unequal to itself.
      const bool special = !(std::abs(values[i]) <= std::numeric_limits<double>::max());
      out[i] = special ? static_cast<float>(values[i]) : narrow;
      exact = exact && (special || static_cast<double>(narrow) == values[i]);
    }
    if (exact) return;
    has_floats_ = false;
    doubles_.assign(floats_.begin(), floats_.begin() + static_cast<std::ptrdiff_t>(before));
    floats_.clear();
  }
  doubles_.insert(doubles_.end(), values.begin(), values.end());
}

void SeriesEncoder::Describe(JsonWriter& json) const {
  json.Key("points").Value(count_);
  json.Key("steps").BeginObject();
  if (has_stride_) {
    json.Key("kind").Value("stride").Key("first").Value(first_step_).Key("stride").Value(stride_);
  } else {
    json.Key("kind").Value("i64");
  }
  json.EndObject().Key("wall_times").BeginObject();
  if (has_ulps_ && count_ > 0) {
    json.Key("kind").Value("ulp32").Key("first").Value(first_wall_time_).Key("ulp").Value(ulp_);
  } else {
    json.Key("kind").Value("f64");
  }
  json.EndObject().Key("values").BeginObject();
  json.Key("kind").Value(has_floats_ ? "f32" : "f64").EndObject();
}

void SeriesEncoder::AppendColumns(std::string& out) const {
  if (!has_stride_) AppendPadded(steps_, out);
  if (has_ulps_) {
    AppendPadded(ulps_, out);
  } else {
    AppendPadded(wall_times_, out);
  }
  if (has_floats_) {
    AppendPadded(floats_, out);
  } else {
    AppendPadded(doubles_, out);
  }
}

}  // namespace cboard::server
