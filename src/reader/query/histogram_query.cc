#include "cboard/reader/histogram_query.h"

#include "reader/query/indexed_blobs.h"

namespace cboard::reader {

Result<std::vector<HistogramStep>> ReadHistograms(const Run& run, const Tag& tag,
                                                  std::span<const std::size_t> indices) {
  std::vector<HistogramStep> steps;
  steps.reserve(indices.size());
  CBOARD_RETURN_IF_ERROR(ForEachBlob(run, tag, indices, [&](const Blob& blob) -> Result<void> {
    CBOARD_ASSIGN_OR_RETURN(LoggedHistogram histogram, ParseHistogramValue(blob.bytes));
    steps.push_back({blob.entry.step, blob.entry.wall_time_seconds, std::move(histogram)});
    return {};
  }));
  return steps;
}

}  // namespace cboard::reader
