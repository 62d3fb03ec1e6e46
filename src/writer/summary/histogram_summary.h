// Makes histogram summaries from buckets that are already counted.
#pragma once

#include <string>
#include <string_view>

#include "cboard/base/result.h"
#include "cboard/tensor/histogram.h"

namespace cboard::writer::summary {

// Returns a serialized Summary with `histogram` unchanged. Like add_histogram_raw, stores `tag`
// without cleaning it.
//
// Fails with kInvalidArgument for histograms that no viewer can draw: the numbers of limits and
// counts differ, a limit is NaN or below the previous one, or a count is negative or not finite.
Result<std::string> MakeHistogramSummary(std::string_view tag,
                                         const tensor::HistogramData& histogram);

// Returns a serialized Summary with a result of ComputeHistogram. Such a result is valid, so it is
// not checked.
Result<std::string> MakeCountedHistogramSummary(std::string_view tag,
                                                const tensor::HistogramData& histogram);

}  // namespace cboard::writer::summary
