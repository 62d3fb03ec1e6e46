#include "cboard/verdict/damage_text.h"

#include <cmath>

#include "cboard/verdict/number_text.h"

namespace cboard::verdict {

std::string TextOf(const ValueRange& range) {
  return "[" + ShortNumber(range.min) + ", " + ShortNumber(range.max) + "]";
}

std::string WrongScaleText(std::string_view subject, double factor) {
  return "scale is wrong: " + std::string(subject) + " are " + ShortNumber(factor) +
         " times the baseline's";
}

std::string ShiftedText(std::string_view subject, double sigmas, double mean_before,
                        double mean_after) {
  return std::string(subject) + " are shifted" +
         (std::isfinite(sigmas) ? " by " + ShortNumber(sigmas, 3) + " standard deviations" : "") +
         ": the mean went from " + ShortNumber(mean_before) + " to " + ShortNumber(mean_after);
}

std::string ClippedText(std::string_view subject, double share, const ValueRange& range,
                        const ValueRange& baseline) {
  return "clipped: " + Percent(share) + " of the baseline's " + std::string(subject) +
         " lie outside " + TextOf(range) + "; the baseline's range is " + TextOf(baseline);
}

std::string PrunedText(std::string_view subject, double share) {
  return Percent(share) + " of the " + std::string(subject) + " were pruned: they are 0 now";
}

}  // namespace cboard::verdict
