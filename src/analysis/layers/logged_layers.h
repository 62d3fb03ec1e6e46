// Diagnoses layers by logged metrics alone, as other programs report them, without histograms.
#pragma once

#include <optional>

#include "cboard/analysis/layer_ranking.h"

namespace cboard::analysis {

// Returns a layer metric; nullopt if it is missing or NaN.
std::optional<double> FindFigure(const LayerMetrics& figures, std::string_view key);

// Returns the best score among the layers that were quantized alone. The scores of other layers are
// compared with it.
std::optional<double> BestScore(const std::map<std::string, LayerMetrics, std::less<>>& logged);

// Sets level, severity and explanation of a layer that has only `logged` metrics. The first of the
// following metrics that exists is used:
//
//   sqnr_db, worst_channel_sqnr_db   as measured
//   accumulated_sqnr_db              as measured; includes the errors of earlier layers
//   cosine                           SQNR is at most -20 log10(sin), for any norms
//   rmse_by_scale                    with 8 bits, SQNR is at most 20 log10(255 / value); red above
//   0.7
//   score_if_only_this_is_quantized  amber if 1 % below the best score, red if 5 % below it
//
// Any other metric, such as an MSE, depends on the layer's unit: layers are sorted by it, but get
// no level.
void DiagnoseFromFigures(int bits, const Thresholds& for_8_bits, std::optional<double> best_score,
                         RankedLayer& layer);

// Returns a number by which layers of equal severity are sorted. The layer with the larger number
// is worse.
double OrderOf(const LayerMetrics& figures);

}  // namespace cboard::analysis
