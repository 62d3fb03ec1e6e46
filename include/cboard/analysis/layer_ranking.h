// Ranks the layers of a variant by damage, the worst first. Uses logged layer metrics, or
// histograms if no layer metrics were logged.
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

// Reads the histogram of a tag. It is an interface so that ranking can be tested without files.
class HistogramSource {
 public:
  virtual ~HistogramSource() = default;

  // Reads the histogram at the last step that is not above `step`, or at the last step of all if
  // `step` is nullopt.
  virtual Result<ValueDistribution> Read(std::string_view run, std::string_view tag,
                                         std::optional<std::int64_t> step) const = 0;
};

// Returns a source that reads from the files of `snapshot` and shares its ownership.
std::unique_ptr<HistogramSource> HistogramsOf(std::shared_ptr<const reader::Snapshot> snapshot);

// Metrics that were logged for one layer of one variant, <model>/layers/<layer>/<metric>/<variant>,
// by metric.
using LayerMetrics = std::map<std::string, double, std::less<>>;

// Collects the layer metrics of a run that name the filter's variant, by layer.
std::map<std::string, LayerMetrics, std::less<>> CollectLayerMetrics(const reader::Run& run,
                                                                     const LayerFilter& filter);

// The metric in dB that decides the level of a layer, with its limits.
struct LevelMetric {
  // The name of the metric: "sqnr_db", "worst_channel_sqnr_db" or "accumulated_sqnr_db";
  // "sqnr_at_most_db" (from histograms); "cosine" or "rmse_by_scale" (the upper bound of SQNR that
  // they imply); "end_sqnr_db" (the output SQNR of the model with the damage of this layer alone);
  // or "weighted_sqnr_db" (from a comparison of files, with channels weighted by the next layer's
  // weights).
  std::string by = {};
  double db = 0;        // Measured value at the layer's own bit width. +inf is exact, -inf is lost.
  double red_db = 0;    // Below this value the layer is red.
  double amber_db = 0;  // Below this value the layer is amber.
  int bits = 8;
  bool is_bound = false;  // True if the metric is an upper bound and the true SQNR may be lower.

  // A score for comparing layers of different bit widths; not a measurement. It is the share of the
  // best possible SQNR that the layer reaches, times the best possible SQNR at 8 bits.
  double as_of_8_bits_db() const;
};

struct RankedLayer {
  LayerTensor baseline = {};
  LayerTensor variant = {};
  PairedBy paired_by = PairedBy::kName;
  std::optional<HistogramComparison> histogram = {};
  LayerMetrics logged = {};
  bool from_logged = false;  // True if `severity` comes from logged metrics.
  // Relative error of the layer: 10 ^ (-SQNR / 20). 0 means no error; 1 means that the error is as
  // large as the values.
  double severity = 0;
  double times_median = 0;  // severity / severity of the median layer; 0 if that is 0.
  Diagnosis diagnosis = {};
  std::optional<LevelMetric> level_metric = {};  // nullopt if no metric in dB is known.
  // True if the diagnosis comes from a comparison of the model files.
  bool from_comparison = false;
  std::string fix = {};  // See LayerFinding; empty without a comparison.
  // The earlier layer that may cause this layer's error; often empty.
  std::string carried_from = {};
  std::string fallback_operation = {};
};

// Bit widths of a variant's codes, as far as they are known.
struct CodeWidths {
  int weight_bits = 8;
  int activation_bits = 8;

  // Bit width of a tensor. For weights it is the width of the weights. An output is quantized and
  // also contains the error of the weights, so the smaller of both widths is used.
  int For(TensorRole role) const {
    return role == TensorRole::kOutput ? std::min(weight_bits, activation_bits) : weight_bits;
  }
};

// Number of layers at each level.
struct LevelCounts {
  std::size_t red = 0;
  std::size_t amber = 0;
  std::size_t green = 0;
  std::size_t unmeasured = 0;

  std::size_t measured() const { return red + amber + green; }
  std::size_t total() const { return measured() + unmeasured; }
};

struct LayerRanking {
  std::vector<RankedLayer> layers = {};  // Worst layer first.
  // Explains why the histograms of the pair are not compared, and what to log; empty if they are
  // compared.
  std::string not_measured = {};
  bool in_graph_order = false;  // True if depths are positions in a logged graph.
  CodeWidths widths = {};       // Bit widths that the limits use.
  std::vector<LayerTensor> baseline_only = {};
  std::vector<LayerTensor> variant_only = {};
  std::vector<Error> errors = {};  // Histograms that cannot be read; their layers are skipped.
  std::optional<OutputsVerdict> outputs = {};  // Verdict of a comparison of the model files.
};

// Returns the baseline's channel ranges of a layer's output; nullptr if they were not
// logged.
using ChannelLookup = std::function<const ChannelStatistics*(std::string_view layer)>;

struct RankingOptions {
  Thresholds thresholds = {};  // For 8 bits.
  std::optional<std::int64_t> step = {};
  CodeWidths widths = {};
  LayerFindings findings = {};
  ChannelLookup channels = {};    // Called if a single channel decides the level of a layer.
  std::string not_measured = {};  // Why histograms are not compared; empty if they are.
  // Position of each layer in the graph of the model. If the map is empty, or has none of the
  // layers, depths follow the order of the log.
  std::map<std::string, std::size_t, std::less<>> places = {};
};

// Ranks layers. Logged SQNR (`sqnr_db`, `worst_channel_sqnr_db`) overrides the estimate from
// histograms, which is only an upper bound. The cause always comes from histograms. A layer with
// metrics in `logged` but without a pair of histograms is ranked by these metrics, and its tags are
// empty. Findings override logged SQNR and histograms; layers are then sorted by level first. An
// output whose error may come from an earlier layer is listed after the other layers of its level.
//
// A layer is kUnmeasured if there are no values from before and after quantization (`not_measured`,
// or equal histograms), unless logged metrics or findings decide its level.
LayerRanking RankLayers(std::span<const LayerTensor> baseline, std::span<const LayerTensor> variant,
                        const HistogramSource& histograms,
                        const std::map<std::string, LayerMetrics, std::less<>>& logged = {},
                        const RankingOptions& options = {});

LevelCounts CountLevels(const LayerRanking& ranking);

// Ranks the layers of a pair in the order that every page shows, with the variant's logged metrics
// and findings. Findings that cannot be read are reported in `errors`. Without a baseline, only the
// logged metrics are used.
LayerRanking RankVariants(const std::shared_ptr<const reader::Snapshot>& snapshot,
                          const VariantLayers* baseline, const VariantLayers& variant);

}  // namespace cboard::analysis
