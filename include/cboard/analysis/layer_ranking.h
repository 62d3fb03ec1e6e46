// Layers, worst first: where compression hurt, by numbers that were logged per layer or, without
// them, by histograms alone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/analysis/channels.h"
#include "cboard/analysis/histogram_comparison.h"
#include "cboard/analysis/layer_findings.h"
#include "cboard/analysis/layer_pairing.h"
#include "cboard/analysis/layer_variants.h"
#include "cboard/base/result.h"
#include "cboard/reader/snapshot.h"

namespace cboard::analysis {

// Gives the histogram of a tag. An interface, so that ranking needs no files.
class HistogramSource {
 public:
  virtual ~HistogramSource() = default;

  // At the last step that is not beyond `step`; at the last of all without one.
  virtual Result<ValueDistribution> Read(std::string_view run, std::string_view tag,
                                         std::optional<std::int64_t> step) const = 0;
};

// Reads from the files of `snapshot`, which it keeps.
std::unique_ptr<HistogramSource> HistogramsOf(std::shared_ptr<const reader::Snapshot> snapshot);

// Numbers that were logged for one layer of one variant:
// <model>/layers/<layer>/<metric>/<variant>, by metric.
using LayerMetrics = std::map<std::string, double, std::less<>>;

// All of a run that name the filter's variant, by layer.
std::map<std::string, LayerMetrics, std::less<>> CollectLayerMetrics(const reader::Run& run,
                                                                     const LayerFilter& filter);

// The metric in dB that decides the level of a layer, with the limits for it.
struct LevelMetric {
  // "sqnr_db", "worst_channel_sqnr_db", "accumulated_sqnr_db", "sqnr_at_most_db" (of histograms),
  // "cosine" and "rmse_by_scale" (what they allow at most), or "weighted_sqnr_db": what a
  // comparison of files found when channels count as much as the next layer makes of them.
  std::string by = {};
  double db = 0;      // As measured, for the bits that the layer has. +inf is exact, -inf is lost.
  double red_db = 0;  // Below this it fails.
  double amber_db = 0;  // Below this it is watched.
  int bits = 8;
  bool is_bound = false;  // The true SQNR may be lower.

  // A score of its own, not a measurement: the SQNR of 8 bits that keeps as large a part of what
  // its bits can keep. Layers of different bits compare by it.
  double as_of_8_bits_db() const;
};

struct RankedLayer {
  LayerTensor baseline = {};
  LayerTensor variant = {};
  PairedBy paired_by = PairedBy::kName;
  std::optional<HistogramComparison> histogram = {};
  LayerMetrics logged = {};
  bool from_logged = false;  // Whether severity rests on logged numbers.
  double severity = 0;  // Relative error: 10 ^ (-SQNR / 20). 0 is none, 1 as large as the values.
  double times_median = 0;  // severity by that of the median layer; 0 when that is 0.
  Diagnosis diagnosis = {};
  std::optional<LevelMetric> level_metric = {};  // Nothing where no figure in dB is known.
  bool from_comparison = false;   // The diagnosis is that of a comparison of the model files.
  std::string carried_from = {};  // The layer whose error this may only carry on; mostly empty.
  std::string fallback_operation = {};
};

// How wide the codes of a variant are, as far as is known.
struct CodeWidths {
  int weight_bits = 8;
  int activation_bits = 8;

  // Width of a tensor: the weights have their own; an output is rounded too and also has the errors
  // of the weights.
  int For(TensorRole role) const {
    return role == TensorRole::kOutput ? std::min(weight_bits, activation_bits) : weight_bits;
  }
};

// How many layers are at each level.
struct LevelCounts {
  std::size_t red = 0;
  std::size_t amber = 0;
  std::size_t green = 0;
  std::size_t unmeasured = 0;

  std::size_t measured() const { return red + amber + green; }
  std::size_t total() const { return measured() + unmeasured; }
};

struct LayerRanking {
  std::vector<RankedLayer> layers = {};  // The worst first.
  // Why histograms of these sides are not compared, and what to log; empty where they are.
  std::string not_measured = {};
  bool in_graph_order = false;  // Depths are places in a logged graph.
  CodeWidths widths = {};       // Bit widths that the limits use.
  std::vector<LayerTensor> baseline_only = {};
  std::vector<LayerTensor> variant_only = {};
  std::vector<Error> errors = {};  // Histograms that cannot be read; their layers are skipped.
  std::optional<OutputsVerdict> outputs = {};  // By a comparison of the model files.
};

// The ranges that the baseline's channels of a layer's output have; nullptr where nobody logged
// them.
using ChannelLookup = std::function<const ChannelStatistics*(std::string_view layer)>;

struct RankingOptions {
  Thresholds thresholds = {};  // For 8 bits.
  std::optional<std::int64_t> step = {};
  CodeWidths widths = {};
  LayerFindings findings = {};
  ChannelLookup channels = {};    // Asked where a channel is what a layer fails by.
  std::string not_measured = {};  // Why histograms are not compared; empty where they are.
  // Position of each layer in the graph of the model. If it is empty, or has none of the layers,
  // depths follow the order of the log.
  std::map<std::string, std::size_t, std::less<>> places = {};
};

// Logged SQNR (`sqnr_db`, `worst_channel_sqnr_db`) wins over what histograms suggest: they can only
// say how good a layer is at best. The cause is read off histograms all the same. A layer that has
// figures in `logged` and no pair of histograms is ranked by these figures, its tags are empty.
// Findings win over both, and layers are then in the order of their levels first. Outputs that may
// only carry on what another began stand behind all others of their level.
//
// Without values from before and after quantization (`not_measured`, or histograms that are the
// same) a layer is kUnmeasured unless figures or findings say more.
LayerRanking RankLayers(std::span<const LayerTensor> baseline, std::span<const LayerTensor> variant,
                        const HistogramSource& histograms,
                        const std::map<std::string, LayerMetrics, std::less<>>& logged = {},
                        const RankingOptions& options = {});

LevelCounts CountLevels(const LayerRanking& ranking);

// The layers of two sides as every page shows them, with figures and findings of the variant. What
// could not be read of findings is among the errors. Without a baseline, figures alone count.
LayerRanking RankVariants(const std::shared_ptr<const reader::Snapshot>& snapshot,
                          const VariantLayers* baseline, const VariantLayers& variant);

}  // namespace cboard::analysis
