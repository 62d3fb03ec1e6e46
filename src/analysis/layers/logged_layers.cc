#include "analysis/layers/logged_layers.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "cboard/verdict/number_text.h"

namespace cboard::analysis {
namespace {

constexpr std::string_view kScore = "score_if_only_this_is_quantized";
constexpr std::string_view kAccumulated = "accumulated_sqnr_db";
constexpr double kIdealRmseByScale = 0.289;  // 1/√12: the error of rounding alone.
constexpr double kRedRmseByScale = 0.7;      // The limit in the guide of the TFLite debugger.
constexpr double kLastCode = 255;
constexpr double kAmberScoreLoss = 0.01, kRedScoreLoss = 0.05;

void Set(RankedLayer& layer, Level level, std::string explanation) {
  layer.diagnosis.level = level;
  layer.diagnosis.cause = level == Level::kGreen ? Cause::kNone : Cause::kChanged;
  layer.diagnosis.explanation = std::move(explanation);
}

}  // namespace

std::optional<double> FindFigure(const LayerMetrics& metrics, std::string_view key) {
  const auto found = metrics.find(key);
  if (found == metrics.end() || std::isnan(found->second)) return std::nullopt;
  return found->second;
}

std::optional<double> BestScore(const std::map<std::string, LayerMetrics, std::less<>>& logged) {
  std::optional<double> best;
  for (const auto& [layer, figures] : logged) {
    if (const auto score = FindFigure(figures, kScore))
      best = std::max(best.value_or(*score), *score);
  }
  return best;
}

void DiagnoseFromFigures(int bits, const Thresholds& for_8_bits, std::optional<double> best_score,
                         RankedLayer& layer) {
  const Thresholds thresholds = ThresholdsFor(bits, for_8_bits);
  const LayerMetrics& figures = layer.logged;
  const auto by_sqnr = [&](std::string_view by, double sqnr_db, std::string explanation) {
    layer.from_logged = true;
    layer.level_metric = LevelMetric{.by = std::string(by),
                                     .db = sqnr_db,
                                     .red_db = thresholds.sqnr_red_db,
                                     .amber_db = thresholds.sqnr_amber_db,
                                     .bits = bits,
                                     .is_bound = by != kAccumulated};
    layer.severity = std::pow(10, -sqnr_db / 20);
    Set(layer, LevelOf(sqnr_db, thresholds), std::move(explanation));
  };
  if (const auto carried = FindFigure(figures, kAccumulated)) {
    by_sqnr(kAccumulated, *carried,
            verdict::SqnrClause(*carried) + ", with what the layers before it have done");
  } else if (const auto cosine = FindFigure(figures, "cosine")) {
    const double sine = std::sqrt(std::max(0.0, 1 - *cosine * *cosine));
    by_sqnr("cosine", -20 * std::log10(*cosine > 0 ? sine : 1),
            "the cosine with the float model is " + verdict::ShortNumber(*cosine));
  } else if (const auto steps = FindFigure(figures, "rmse_by_scale")) {
    by_sqnr("rmse_by_scale", 20 * std::log10(kLastCode / *steps),
            "the error is " + verdict::ShortNumber(*steps) +
                " steps of the scale; rounding alone makes " +
                verdict::ShortNumber(kIdealRmseByScale));
    if (*steps > kRedRmseByScale) Set(layer, Level::kRed, layer.diagnosis.explanation);
  } else if (const auto score = FindFigure(figures, kScore); score && best_score) {
    const double loss = *best_score != 0 ? (*best_score - *score) / std::abs(*best_score) : 0;
    Set(layer,
        loss >= kRedScoreLoss     ? Level::kRed
        : loss >= kAmberScoreLoss ? Level::kAmber
                                  : Level::kGreen,
        "quantized alone, the model scores " + verdict::ShortNumber(*score) +
            "; with the most harmless " + "layer it is " + verdict::ShortNumber(*best_score));
  }
}

double OrderOf(const LayerMetrics& figures) {
  if (const auto score = FindFigure(figures, kScore)) return -*score;
  if (const auto score = FindFigure(figures, "score_if_all_but_this_are_quantized")) return *score;
  for (const std::string_view error : {"mse", "normalized_mse", "channel_spread"}) {
    if (const auto value = FindFigure(figures, error)) return *value;
  }
  return 0;
}

}  // namespace cboard::analysis
