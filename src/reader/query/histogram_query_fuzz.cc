// A histogram that was parsed keeps its mass in any other bins, and has quantiles within its range.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "cboard/reader/histogram_query.h"
#include "cboard/reader/plugin_query.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cboard;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)reader::ParsePrCurveValue(bytes);
  for (const auto loader : {reader::TensorBoardLoader::kPython, reader::TensorBoardLoader::kRust}) {
    const auto bins = reader::TensorBoardBins(bytes, loader);
    if (bins && reader::Distribution(*bins).size() != reader::kDistributionBasisPoints.size())
      std::abort();
  }
  const auto histogram = reader::ParseHistogramValue(bytes);
  if (!histogram) return 0;
  (void)reader::CumulativeShares(histogram->bins);
  const auto edges = reader::SharedEdges({&*histogram, 1}, reader::BarCount({&*histogram, 1}));
  for (std::size_t i = 1; i < edges.size(); ++i) {
    if (!(edges[i - 1] < edges[i])) std::abort();
  }
  const reader::RebinnedHistogram rebinned = reader::Rebin(histogram->bins, edges);
  double sum = rebinned.below + rebinned.above + histogram->unplaced;
  double magnitude = std::abs(histogram->unplaced);
  for (const double count : rebinned.counts) sum += count;
  for (const reader::HistogramBin& bin : histogram->bins) magnitude += std::abs(bin.count);
  if (std::isfinite(magnitude) && std::abs(sum - histogram->count) > 1e-6 * magnitude) std::abort();
  return 0;
}
