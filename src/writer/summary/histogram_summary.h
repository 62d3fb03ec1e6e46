// Makes histogram summaries from counted buckets.
#pragma once

#include <string>
#include <string_view>

#include "cboard/base/result.h"
#include "cboard/tensor/histogram.h"

namespace cboard::writer::summary {

// Returns a serialized Summary with `histogram` unchanged. `tag` is stored without cleaning, as
// add_histogram_raw does; add_histogram cleans it first.
//
// Fails with kInvalidArgument for histograms that no viewer can draw: a different number of limits
// and counts, limits that are NaN or descend, counts that are negative or not finite.
Result<std::string> MakeHistogramSummary(std::string_view tag,
                                         const tensor::HistogramData& histogram);

// Returns a serialized Summary of a result of ComputeHistogram, which needs no check.
Result<std::string> MakeCountedHistogramSummary(std::string_view tag,
                                                const tensor::HistogramData& histogram);

}  // namespace cboard::writer::summary
