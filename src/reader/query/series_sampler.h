// Sampling of a series that is too large to copy, block by block.
#pragma once

#include <cstddef>
#include <functional>

#include "cboard/reader/scalar_query.h"

namespace cboard::reader {

// The part of a ScalarSeries that the sampler needs; tests pass vectors.
struct ScalarSource {
  using Visit = std::function<void(const ScalarBlock&)>;

  std::size_t size = 0;
  std::function<ScalarPoint(std::size_t index)> at;
  std::function<void(std::size_t first, std::size_t count, const Visit& visit)> for_each_block;
};

Result<SampledSeries> Sample(const ScalarSource& source, bool steps_ascend,
                             const ScalarQuery& query);

Result<Curve> Read(const ScalarSource& source, ScalarAxis axis, const XRange& range,
                   std::size_t max_points);

}  // namespace cboard::reader
