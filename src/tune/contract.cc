// Writes a contract (YAML gates for `check`) that keeps the result of a tuning.
#include <cmath>

#include "cboard/base/strings.h"
#include "tune/tuner.h"

namespace cboard::tune {

std::string Tuner::Contract() const {
  if (!report_.best || !report_.baseline.accuracy) return {};
  const TrialReport& best = report_.trials[*report_.best];
  const auto share = [](double value) { return ShortestDecimal(std::floor(value * 1000) / 1000); };
  const double ratio = static_cast<double>(report_.baseline.size_bytes) /
                       static_cast<double>(std::max<std::uint64_t>(1, best.result.size_bytes));
  const std::string model = report_.model.string(), output = report_.output.string();
  const bool is_lower = better_ == compression::Better::kLower;
  // If the goal was missed, the accuracy that was reached becomes the limit.
  const double limit = best.is_met ? report_.limit : *best.result.accuracy;
  std::string text =
      "# Limits that keep the result of the tuning. In CI, with the flags of your evaluation:\n"
      "#   compression-board benchmark fp32=" +
      model + " int8=" + output +
      " … --logdir runs/ci\n"
      "#   compression-board check contract.yaml --logdir runs/ci\n"
      "baseline: fp32\n"
      "gates:\n"
      "  - id: quality\n"
      "    metric: " +
      report_.metric +
      "\n"
      "    " +
      (is_lower ? "max: " : "min: ") + ShortestDecimal(limit) +
      "\n"
      "    direction: " +
      (is_lower ? "lower_is_better" : "higher_is_better") +
      "\n"
      "  - id: size\n"
      "    metric: size_ratio\n"
      "    min: " +
      share(ratio) + "\n";
  if (options_.goals.min_speedup) {
    text += "  - id: speed\n    metric: speedup\n    min: " +
            ShortestDecimal(*options_.goals.min_speedup) + "\n";
  }
  return text;
}

}  // namespace cboard::tune
