// Chooses the points of a tag that are sent to TensorBoard.
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

  // Returns indices into the series of `tag`, ascending, at most `max_points`. They include the
  // last point, unless no points are kept for the tag's plugin or `max_points` is 0.
  std::vector<std::size_t> KeptIndices(const reader::Tag& tag, std::size_t max_points);

  // Returns true if points of the tag are kept; false if the plugin of the tag is switched off.
  bool KeepsAny(const reader::Tag& tag) const;

 private:
  SampleLimits limits_;
  ReservoirCache reservoirs_;
};

// Returns the points of a scalar tag at `indices`, which must be ascending.
std::vector<reader::ScalarPoint> ReadPoints(const reader::ScalarSeries& series,
                                            const std::vector<std::size_t>& indices);

}  // namespace cboard::data_server
