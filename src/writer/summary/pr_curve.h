// Makes summaries of precision-recall curves. Such a curve consists of counts per threshold, which
// are computed here or given.
#pragma once

#include <string>
#include <string_view>

#include "cboard/base/result.h"
#include "cboard/tensor/tensor_view.h"
#include "cboard/writer/summaries.h"

namespace cboard::writer::summary {

// Maximum number of thresholds. As in tensorboardX, a larger number is reduced without an error.
inline constexpr int kMaxPrThresholds = 127;

// Computes the rows of a precision-recall curve at T = min(num_thresholds, kMaxPrThresholds)
// thresholds i / (T - 1). `predictions` are probabilities, and `labels` are the true values; both
// are in 0…1. `weights` are optional: one per prediction, or one for all.
//
// A prediction p is counted at all thresholds up to floor(p * (T - 1)). The product is rounded to
// the dtype of `predictions`, as in numpy.
//
// Fails with kInvalidArgument, naming index and value, for numbers outside these ranges; and for
// empty tensors, different sizes, and num_thresholds below 1.
Result<PrCurveRows> ComputePrCurve(const TensorView& labels, const TensorView& predictions,
                                   int num_thresholds, const TensorView* weights = nullptr);

// Returns a serialized Summary with the rows of ComputePrCurve.
Result<std::string> MakePrCurveSummary(std::string_view tag, const TensorView& labels,
                                       const TensorView& predictions, int num_thresholds,
                                       const TensorView* weights = nullptr);

// Returns a serialized Summary with the given rows. `num_thresholds` is only stored; viewers use
// the number of columns instead. Fails with kInvalidArgument if rows are empty or differ in length,
// or if a count is not finite. Precision and recall may be NaN where they are undefined.
Result<std::string> MakePrCurveRawSummary(std::string_view tag, const PrCurveRows& rows,
                                          int num_thresholds);

}  // namespace cboard::writer::summary
