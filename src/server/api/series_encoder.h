// Long series as bytes: docs/formats/series.md.
//
//   const EncodedSeries encoded = EncodedSeries::Append(PointsOf(tag.scalars), buffer);
//   encoded.Describe(json);
//
// Each column is as narrow as its values allow, and nothing is lost: steps at a constant distance
// take no bytes, wall times within 17 minutes of the first take 4, values that are floats take 4.
#pragma once

#include <cstdint>
#include <functional>

#include "cboard/base/json_writer.h"
#include "cboard/reader/series.h"
#include "server/body_pool.h"

namespace cboard::server {

// Points that can be visited more than once.
struct SeriesPoints {
  std::size_t count = 0;
  double last_wall_time_seconds = 0;
  // Calls its argument with all points, in order.
  std::function<void(const std::function<void(const ScalarBlock&)>&)> for_each_block;
};

SeriesPoints PointsOf(const ScalarSeries& series);  // Borrows the series.
SeriesPoints PointsOf(const ScalarBlock& points);   // Borrows what the spans view.

class EncodedSeries {
 public:
  // Appends the columns to `out`, each padded to 8 bytes. They are written as narrow as the ends of
  // the series suggest, and once more, wider, when a point in between does not fit.
  static EncodedSeries Append(const SeriesPoints& points, BodyBuffer& out);

  // Members of an open object: "points", and "steps", "wall_times" and "values", which say how each
  // is stored.
  void Describe(JsonWriter& json) const;

  // No description is longer.
  static constexpr std::size_t kMostDescriptionBytes = 256;

 private:
  EncodedSeries() = default;

  std::size_t WallBytes() const { return has_ulps_ ? 4 : 8; }
  std::size_t ValueBytes() const { return has_floats_ ? 4 : 8; }

  // Whether all points of the block fit the kinds; else one kind has become wider.
  bool WriteBlock(std::size_t index, const ScalarBlock& block, char* steps, char* walls,
                  char* values);
  bool WriteSteps(std::size_t index, std::span<const std::int64_t> steps, char* out);
  bool WriteWallTimes(std::span<const double> wall_times, char* out);
  bool WriteValues(std::span<const double> values, char* out);

  std::size_t count_ = 0;
  bool has_stride_ = true;  // Steps are first + i * stride.
  bool has_ulps_ = true;    // Wall times are 32-bit distances from the first.
  bool has_floats_ = true;
  std::int64_t first_step_ = 0;
  std::int64_t stride_ = 0;
  double first_wall_time_ = 0;
};

}  // namespace cboard::server
