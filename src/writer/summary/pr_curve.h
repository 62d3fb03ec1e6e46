// Precision-recall curves: counts per threshold, computed or given.
#pragma once

#include <string>
#include <string_view>

#include "cboard/base/result.h"
#include "cboard/tensor/tensor_view.h"
#include "cboard/writer/summaries.h"

namespace cboard::writer::summary {

// More thresholds than this are quietly reduced to it, as tensorboardX does.
inline constexpr int kMaxPrThresholds = 127;

// The rows at T = min(num_thresholds, kMaxPrThresholds) thresholds i / (T - 1). `predictions` are
// probabilities and `labels` the truth, 0…1 each; `weights`, if any, are one per prediction or one
// for all.
//
// A prediction p counts at all thresholds up to floor(p * (T - 1)), a product rounded to the
// dtype of `predictions`, as numpy rounds it.
//
// Fails with kInvalidArgument, naming index and value, for numbers outside these ranges; and for
// empty tensors, sizes that differ, and num_thresholds below 1.
Result<PrCurveRows> ComputePrCurve(const TensorView& labels, const TensorView& predictions,
                                   int num_thresholds, const TensorView* weights = nullptr);

// A serialized Summary of ComputePrCurve's rows.
Result<std::string> MakePrCurveSummary(std::string_view tag, const TensorView& labels,
                                       const TensorView& predictions, int num_thresholds,
                                       const TensorView* weights = nullptr);

// A serialized Summary of rows that the caller has. `num_thresholds` is only noted beside them:
// viewers go by the number of columns. Fails with kInvalidArgument when rows are empty or differ
// in length, or a count is not finite. Precision and recall may be NaN where they are undefined.
Result<std::string> MakePrCurveRawSummary(std::string_view tag, const PrCurveRows& rows,
                                          int num_thresholds);

}  // namespace cboard::writer::summary
