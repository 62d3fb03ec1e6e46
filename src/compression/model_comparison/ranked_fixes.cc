#include "compression/model_comparison/ranked_fixes.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace cboard::compare {
namespace {

// A fix has to be worth it.
constexpr double kNoticeableDb = 1;

std::vector<Fix> ForWeights(const LayerComparison& layer, std::vector<Fix> tried,
                            const Thresholds& thresholds) {
  const Comparison& now = *layer.weight;
  const double worst_now =
      now.worst_channel ? now.channels[*now.worst_channel].SqnrDb() : now.total.SqnrDb();
  const auto severity = [&](const Fix& fix) {
    return std::min(fix.sqnr_db, fix.worst_channel_sqnr_db.value_or(HUGE_VAL) +
                                     thresholds.sqnr_red_db - thresholds.worst_channel_red_db);
  };
  const double severity_now =
      severity({.sqnr_db = now.total.SqnrDb(), .worst_channel_sqnr_db = worst_now});
  std::erase_if(tried,
                [&](const Fix& fix) { return severity(fix) < severity_now + kNoticeableDb; });
  std::ranges::stable_sort(tried, {}, [&](const Fix& fix) {
    const bool is_enough = severity(fix) >= thresholds.sqnr_amber_db;
    return std::tuple(!is_enough, is_enough ? fix.size_bytes.value_or(0) : 0, -severity(fix));
  });
  tried.push_back({.action = "keep the layer in float32",
                   .sqnr_db = HUGE_VAL,
                   .size_bytes = now.total.count * sizeof(float)});
  return tried;
}

// Uniform rounding of the baseline's values over their own range.
double SqnrOfRange(const TensorStatistics& values, int bits) {
  const double low = std::min(0.0, values.min), high = std::max(0.0, values.max);
  const double step = (high - low) / (std::pow(2, bits) - 1);
  const double power = values.sum_squares / static_cast<double>(values.finite_count());
  return 10 * std::log10(power / (step * step / 12));
}

std::vector<Fix> ForOutput(const LayerComparison& layer) {
  const TensorStatistics& values = layer.accumulated->total.reference;
  const double now = layer.local->total.SqnrDb();
  std::vector<Fix> fixes;
  for (const int bits : {8, 16}) {
    const double predicted = SqnrOfRange(values, bits);
    if (!(predicted > now + kNoticeableDb)) continue;
    fixes.push_back({.action = bits == 8 ? "calibrate the output's range anew, on these samples"
                                         : "16 bits for this output",
                     .sqnr_db = predicted});
  }
  fixes.push_back({.action = "keep the layer in float32", .sqnr_db = HUGE_VAL});
  return fixes;
}

}  // namespace

std::vector<Fix> RankFixes(const LayerComparison& layer, std::vector<Fix> tried,
                           const Thresholds& thresholds) {
  if (layer.diagnosis.level == Level::kGreen) return {};
  switch (layer.diagnosis.part) {
    case Part::kWeight:
      return ForWeights(layer, std::move(tried), thresholds);
    case Part::kOutput:
      return ForOutput(layer);
    case Part::kBias:
      break;
  }
  return {{.action = "take the bias from the baseline, or correct it", .sqnr_db = HUGE_VAL},
          {.action = "keep the layer in float32", .sqnr_db = HUGE_VAL}};
}

}  // namespace cboard::compare
