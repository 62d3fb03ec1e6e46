// Long series as bytes: docs/formats/series.md.
//
//   SeriesEncoder encoder(count);
//   series.ForEachBlock([&](const ScalarBlock& block) { encoder.Append(block); });
//   encoder.Describe(json);
//   encoder.AppendColumns(bytes);
//
// Each column is as narrow as its values allow, and nothing is lost: steps at a constant distance
// take no bytes, wall times within 17 minutes of the first take 4, values that are floats take 4.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cboard/base/json_writer.h"
#include "cboard/reader/series.h"

namespace cboard::server {

class SeriesEncoder {
 public:
  explicit SeriesEncoder(std::size_t expected_points);

  void Append(const ScalarBlock& block);

  // Three members of an open object: "steps", "wall_times" and "values", saying how each is stored.
  void Describe(JsonWriter& json) const;

  // The columns behind `out`, each padded to 8 bytes.
  void AppendColumns(std::string& out) const;

  std::size_t count() const { return count_; }

 private:
  void AppendSteps(std::span<const std::int64_t> steps);
  void AppendWallTimes(std::span<const double> wall_times);
  void AppendValues(std::span<const double> values);

  std::size_t count_ = 0;

  std::int64_t first_step_ = 0;
  std::int64_t stride_ = 0;
  std::vector<std::int64_t> steps_;  // Once the distance has changed.
  bool has_stride_ = true;

  double first_wall_time_ = 0;
  double ulp_ = 0;
  std::vector<std::uint32_t> ulps_;
  std::vector<double> wall_times_;  // Once one did not fit.
  bool has_ulps_ = true;

  std::vector<float> floats_;
  std::vector<double> doubles_;  // Once one was no float.
  bool has_floats_ = true;
};

}  // namespace cboard::server
