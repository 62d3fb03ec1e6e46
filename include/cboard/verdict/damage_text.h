// The sentences of a diagnosis. `compare` measures values and `analysis` reads histograms; both
// describe a cause with the same words and add their own numbers.
#pragma once

#include <string>
#include <string_view>

namespace cboard::verdict {

struct ValueRange {
  double min = 0;
  double max = 0;
};
std::string TextOf(const ValueRange& range);  // "[-1, 1]"

// Sentence about a wrong scale: "scale is wrong: weights are 0.5 times the baseline's"
std::string WrongScaleText(std::string_view subject, double factor);

// Sentence about an offset: "values are shifted by 0.5 standard deviations: the mean went from 0 to
// 0.5". For constant values, the number of standard deviations is infinite and is omitted.
std::string ShiftedText(std::string_view subject, double sigmas, double mean_before,
                        double mean_after);

// Sentence about clipping: "clipped: 3 % of the baseline's weights lie outside [-1, 1]; the
// baseline's range is [-3, 4]"
std::string ClippedText(std::string_view subject, double share, const ValueRange& range,
                        const ValueRange& baseline);

// Sentence about pruning: "60 % of the weights were pruned: they are 0 now"
std::string PrunedText(std::string_view subject, double share);

// The start of the sentence about channels of different range, or about a stretched range.
inline constexpr std::string_view kChannelSpreadText =
    "one scale for channels of very different size: ";
inline constexpr std::string_view kOutliersText = "outliers stretch the range: ";

// Ends of sentences about damage whose cause is unknown.
inline constexpr std::string_view kUnexplainedText =
    "neither scale, offset, clipping, outliers nor channels explain it";

}  // namespace cboard::verdict
