// Makes summaries of precision-recall curves: counts per threshold, computed or given.
#pragma once

#include <string>
#include <string_view>

#include "cboard/base/result.h"
#include "cboard/tensor/tensor_view.h"
#include "cboard/writer/summaries.h"

namespace cboard::writer::summary {

// Maximum number of thresholds; larger numbers are reduced without an error, as in tensorboardX.
inline constexpr int kMaxPrThresholds = 127;

// Computes the rows at T = min(num_thresholds, kMaxPrThresholds) thresholds i / (T - 1).
// `predictions` are probabilities and `labels` the true values, both in 0…1; `weights` are
// optional: one per prediction or one for all.
//
// A prediction p counts at all thresholds up to floor(p * (T - 1)); the product is rounded to the
// dtype of `predictions`, as in numpy.
//
// Fails with kInvalidArgument, naming index and value, for numbers outside these ranges; and for
// empty tensors, different sizes, and num_thresholds below 1.
Result<PrCurveRows> ComputePrCurve(const TensorView& labels, const TensorView& predictions,
                                   int num_thresholds, const TensorView* weights = nullptr);

// Returns a serialized Summary of the rows that ComputePrCurve computes.
Result<std::string> MakePrCurveSummary(std::string_view tag, const TensorView& labels,
                                       const TensorView& predictions, int num_thresholds,
                                       const TensorView* weights = nullptr);

// Returns a serialized Summary of a precision-recall curve from its rows, which have a column per
// threshold. `num_thresholds` is only stored: viewers use the number of columns. Fails with
// kInvalidArgument if rows are empty or differ in length, or if a count is not finite. Precision
// and recall may be NaN where they are undefined.
Result<std::string> MakePrCurveRawSummary(std::string_view tag, const PrCurveRows& rows,
                                          int num_thresholds);

}  // namespace cboard::writer::summary
