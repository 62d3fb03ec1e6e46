// The points of a tag that TensorBoard gets.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "cboard/reader/snapshot.h"
#include "data_server/sampling/sample_limits.h"

namespace cboard::data_server {

// All methods may be called from any thread.
class PointSampler {
 public:
  explicit PointSampler(SampleLimits limits) : limits_(std::move(limits)) {}

  // Indices into the series of `tag`, ascending, at most `max_points`. The last point is always
  // among them, unless no points are kept for its plugin or `max_points` is 0.
  std::vector<std::size_t> KeptIndices(const reader::Tag& tag, std::size_t max_points);

  // Whether any points of the tag are kept: its plugin may be switched off.
  bool KeepsAny(const reader::Tag& tag) const;

 private:
  SampleLimits limits_;
  ReservoirCache reservoirs_;
};

// Points of a scalar tag, in the order of `indices`, which ascend.
std::vector<reader::ScalarPoint> ReadPoints(const reader::ScalarSeries& series,
                                            const std::vector<std::size_t>& indices);

}  // namespace cboard::data_server
