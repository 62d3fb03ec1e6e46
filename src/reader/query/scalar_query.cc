#include "cboard/reader/scalar_query.h"

#include "cboard/base/check.h"
#include "reader/query/series_sampler.h"

namespace cboard::reader {
namespace {

ScalarSource SourceOf(const ScalarSeries& series) {
  return {.size = series.size(),
          .at = [&](std::size_t index) { return series.at(index); },
          .for_each_block =
              [&](std::size_t first, std::size_t count, const ScalarSource::Visit& visit) {
                series.ForEachBlock(first, count, visit);
              }};
}

}  // namespace

Result<SampledSeries> SampleSeries(const ScalarSeries& series, bool steps_ascend,
                                   const ScalarQuery& query) {
  return Sample(SourceOf(series), steps_ascend, query);
}

std::vector<Result<SampledSeries>> SampleSeries(std::span<const Tag* const> tags,
                                                const ScalarQuery& query) {
  std::vector<Result<SampledSeries>> sampled;
  sampled.reserve(tags.size());
  for (const Tag* tag : tags) {
    CBOARD_CHECK(tag->kind() == TagKind::kScalar);
    sampled.push_back(SampleSeries(tag->scalars, tag->steps_ascend, query));
  }
  return sampled;
}

Result<Curve> ReadCurve(const ScalarSeries& series, ScalarAxis axis, const XRange& range,
                        std::size_t max_points) {
  return Read(SourceOf(series), axis, range, max_points);
}

}  // namespace cboard::reader
