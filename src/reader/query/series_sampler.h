// Samples a series block by block, because it may be too large to copy.
#pragma once

#include <cstddef>
#include <functional>

#include "cboard/reader/scalar_query.h"

namespace cboard::reader {

// The part of ScalarSeries that the sampler needs. Tests use vectors instead.
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
