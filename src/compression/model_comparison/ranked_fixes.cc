#include "compression/model_comparison/ranked_fixes.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

namespace cboard::compare {
namespace {

// A fix has to be worth it.
constexpr double kNoticeableDb = 1;
constexpr const char* kKeepFloat = "keep the layer in float32";

std::vector<Fix> ForWeights(const LayerComparison& layer, std::vector<Fix> tried,
                            const std::vector<Fix>& for_output, const Thresholds& thresholds) {
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
  tried.insert(tried.end(), for_output.begin(), for_output.end());
  const bool is_float = layer.precision == "fp32";
  tried.push_back({.action = is_float ? "take the weights from the baseline" : kKeepFloat,
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

// The output when each channel has the range that it needs, by factors which the layers that follow
// undo.
std::optional<double> SqnrOfEqualized(const Comparison& local,
                                      const std::vector<double>& importance) {
  if (importance.empty()) return std::nullopt;
  double signal = 0, noise = 0;
  for (std::size_t c = 0; c < importance.size(); ++c) {
    const TensorStatistics& values = local.channels[c].reference;
    if (values.finite_count() == 0) continue;
    const double step = (std::max(0.0, values.max) - std::min(0.0, values.min)) / 255;
    signal += importance[c] * values.sum_squares;
    noise += importance[c] * static_cast<double>(values.finite_count()) * step * step / 12;
  }
  if (!(noise > 0)) return std::nullopt;
  return 10 * std::log10(signal / noise);
}

}  // namespace

std::vector<Fix> FixOutput(const LayerComparison& layer, const std::vector<double>& importance) {
  const TensorStatistics& values = layer.accumulated->total.reference;
  const double now = layer.useful_output_db.value_or(layer.local->total.SqnrDb());
  // Rounding hurts small channels more than the whole, now and with any range for all.
  const double small_channels_db = std::max(0.0, layer.local->total.SqnrDb() - now);
  std::vector<Fix> fixes;
  const auto add = [&](const char* action, double predicted_db) {
    if (predicted_db > now + kNoticeableDb) {
      fixes.push_back({.action = action, .sqnr_db = predicted_db});
    }
  };
  add("calibrate the output's range anew, on these samples",
      SqnrOfRange(values, 8) - small_channels_db);
  if (small_channels_db > kNoticeableDb) {
    add("equalize the output's channels with the layers that follow",
        SqnrOfEqualized(*layer.local, importance).value_or(0));
  }
  add("16 bits for this output", SqnrOfRange(values, 16) - small_channels_db);
  return fixes;
}

std::vector<Fix> RankFixes(const LayerComparison& layer, std::vector<Fix> tried,
                           const std::vector<Fix>& for_output, const Thresholds& thresholds) {
  if (layer.diagnosis.level == Level::kGreen) return {};
  switch (layer.diagnosis.part) {
    case Part::kWeight:
      return ForWeights(layer, std::move(tried), for_output, thresholds);
    case Part::kOutput: {
      std::vector<Fix> fixes = for_output;
      fixes.push_back({.action = kKeepFloat, .sqnr_db = HUGE_VAL});
      return fixes;
    }
    case Part::kBias:
      break;
  }
  return {{.action = "take the bias from the baseline, or correct it", .sqnr_db = HUGE_VAL},
          {.action = kKeepFloat, .sqnr_db = HUGE_VAL}};
}

}  // namespace cboard::compare
