// Evaluates layers by figures alone, as other programs report them, without histograms.
#pragma once

#include <optional>

#include "cboard/analysis/layer_ranking.h"

namespace cboard::analysis {

// nullopt if there is no such figure, or if it is NaN.
std::optional<double> FindFigure(const LayerMetrics& figures, std::string_view key);

// The best score of any layer that was quantized alone; other scores are compared with it.
std::optional<double> BestScore(const std::map<std::string, LayerMetrics, std::less<>>& logged);

// Fills level, severity and explanation of a layer that has only `logged`. In this order:
//
//   sqnr_db, worst_channel_sqnr_db   as measured
//   accumulated_sqnr_db              likewise, with the error of the layers before it
//   cosine                           SQNR is at most -20 log10(sin), whatever the lengths
//   rmse_by_scale                    with 8 bits, SQNR is at most 20 log10(255 / it); red above 0.7
//   score_if_only_this_is_quantized  amber from 1 % below the best score on, red from 5 %
//
// Any other figure, such as an MSE, depends on the layer's unit: it orders layers, and says nothing
// about damage.
void DiagnoseFromFigures(int bits, const Thresholds& for_8_bits, std::optional<double> best_score,
                         RankedLayer& layer);

// Which of two layers of the same severity is worse: the one with the larger result.
double OrderOf(const LayerMetrics& figures);

}  // namespace cboard::analysis
