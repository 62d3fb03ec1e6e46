// Histogram summaries, from counted buckets.
#pragma once

#include <string>
#include <string_view>

#include "cboard/base/result.h"
#include "cboard/tensor/histogram.h"

namespace cboard::writer::summary {

// A serialized Summary of `histogram` as it is. `tag` is stored uncleaned, as add_histogram_raw
// does; add_histogram cleans it first.
//
// Fails with kInvalidArgument for what no viewer could draw: limits and counts of unequal number,
// limits that are NaN or descend, counts that are negative or not finite.
Result<std::string> MakeHistogramSummary(std::string_view tag,
                                         const tensor::HistogramData& histogram);

// The same for what ComputeHistogram has counted, which needs no check.
Result<std::string> MakeCountedHistogramSummary(std::string_view tag,
                                                const tensor::HistogramData& histogram);

}  // namespace cboard::writer::summary
