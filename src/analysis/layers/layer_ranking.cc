#include "cboard/analysis/layer_ranking.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/layers/carried_errors.h"
#include "analysis/layers/logged_layers.h"
#include "analysis/layers/model_filter.h"
#include "cboard/base/strings.h"
#include "cboard/verdict/bit_limits.h"
#include "cboard/verdict/damage_text.h"
#include "cboard/verdict/number_text.h"

namespace cboard::analysis {
namespace {

constexpr std::string_view kSqnr = "sqnr_db";
constexpr std::string_view kWorstChannel = "worst_channel_sqnr_db";
constexpr std::string_view kWeighted = "weighted_sqnr_db";
constexpr std::string_view kEnd = "end_sqnr_db";

// Converts a logged SQNR: stored values must be finite, so 200 dB means exact and -200 dB means
// lost.
double FromLogged(double db) {
  return std::abs(db) >= verdict::kLoggedExactDb ? std::copysign(HUGE_VAL, db) : db;
}

// Returns the relative error for an SQNR.
double ErrorOf(double sqnr_db) { return std::isnan(sqnr_db) ? 0 : std::pow(10, -sqnr_db / 20); }

// Returns the number of codes of a tensor with this role. Histograms cannot show the effect of more
// codes.
int CodesOf(TensorRole role, const CodeWidths& widths) {
  const int bits = role == TensorRole::kOutput ? widths.activation_bits : widths.weight_bits;
  return std::min(kDefaultCodes, 1 << std::clamp(bits, 1, 8));
}

// Explains a worst channel with a low SQNR: a channel with a far wider range than the others uses
// most of the codes. A histogram over all channels does not show this.
void AttributeToChannels(double worst_channel_db, const ChannelLookup& channels,
                         RankedLayer& layer) {
  const std::string worst = "worst channel: " + verdict::SqnrClause(worst_channel_db);
  const bool is_output = layer.baseline.role == TensorRole::kOutput;
  const ChannelStatistics* const ranges =
      channels && is_output ? channels(layer.baseline.layer) : nullptr;
  if (ranges == nullptr || ranges->outliers.empty()) {
    layer.diagnosis.explanation = worst;
    return;
  }
  layer.diagnosis.cause = Cause::kChannelSpread;
  layer.diagnosis.explanation =
      std::string(verdict::kChannelSpreadText) + DescribeOutliers(*ranges) + "; " + worst;
}

// Logged metrics replace level and severity; the cause from the histograms is kept.
void ApplyLogged(const RankingOptions& options, RankedLayer& layer) {
  const Thresholds thresholds =
      ThresholdsFor(options.widths.For(layer.baseline.role), options.thresholds);
  const std::optional<double> sqnr = FindFigure(layer.logged, kSqnr);
  const std::optional<double> channel = FindFigure(layer.logged, kWorstChannel);
  if (!sqnr && !channel) return;
  // The SQNR of the worst channel may be lower than that of the whole tensor by the difference of
  // their limits.
  const double allowance = thresholds.sqnr_red_db - thresholds.worst_channel_red_db;
  const double worst = std::min(sqnr.value_or(HUGE_VAL), channel.value_or(HUGE_VAL) + allowance);
  const bool by_channel = channel && (!sqnr || *channel + allowance < *sqnr);
  const int bits = options.widths.For(layer.baseline.role);
  layer.level_metric = by_channel ? LevelMetric{.by = std::string(kWorstChannel),
                                                .db = FromLogged(*channel),
                                                .red_db = thresholds.sqnr_red_db - allowance,
                                                .amber_db = thresholds.sqnr_amber_db - allowance,
                                                .bits = bits}
                                  : LevelMetric{.by = std::string(kSqnr),
                                                .db = FromLogged(*sqnr),
                                                .red_db = thresholds.sqnr_red_db,
                                                .amber_db = thresholds.sqnr_amber_db,
                                                .bits = bits};
  layer.from_logged = true;
  layer.severity = ErrorOf(worst);
  layer.diagnosis.level = LevelOf(worst, thresholds);
  if (layer.diagnosis.level == Level::kGreen) {
    layer.diagnosis = {.level = Level::kGreen};
  } else if (layer.diagnosis.cause == Cause::kNone) {
    layer.diagnosis.cause = Cause::kChanged;
    if (by_channel) {
      AttributeToChannels(*channel, options.channels, layer);
    } else {
      layer.diagnosis.explanation = verdict::SqnrClause(*sqnr) + "; histograms do not show why";
    }
  }
}

// Returns the metric that decided the level of a diagnosis, in the layer's own bits, with the name
// of the logged metric.
LevelMetric LevelMetricOf(const LayerFinding& finding, const Thresholds& for_8_bits,
                          const LayerMetrics& logged) {
  constexpr double kSame = 0.05;  // Below the printed precision.
  const Thresholds thresholds = ThresholdsFor(finding.bits, for_8_bits);
  const double allowance = thresholds.sqnr_red_db - thresholds.worst_channel_red_db;
  const double db = std::isfinite(finding.severity_db)
                        ? verdict::LimitDb(finding.severity_db, finding.bits)
                        : finding.severity_db;
  LevelMetric metric{.by = std::string(kWeighted),
                     .db = db,
                     .red_db = thresholds.sqnr_red_db,
                     .amber_db = thresholds.sqnr_amber_db,
                     .bits = finding.bits};
  if (finding.is_measured_at_end) {
    const auto own = FindFigure(logged, kSqnr);
    if (finding.end_sqnr_db || own) {
      metric.by = finding.end_sqnr_db ? kEnd : kSqnr;
      metric.db = FromLogged(finding.end_sqnr_db ? *finding.end_sqnr_db : *own);
      if (finding.end_sqnr_db) {  // The limits of outputs do not depend on the bits of layers.
        metric.red_db = for_8_bits.sqnr_red_db;
        metric.amber_db = for_8_bits.sqnr_amber_db;
        metric.bits = 8;
      }
      return metric;
    }
  }
  const auto is_same = [&](std::optional<double> figure, double more) {
    if (!figure) return false;
    const double found = FromLogged(*figure) + more;
    return found == db || std::abs(found - db) < kSame;
  };
  if (const auto sqnr = FindFigure(logged, kSqnr); is_same(sqnr, 0)) {
    metric.by = kSqnr;
    metric.db = FromLogged(*sqnr);
  } else if (const auto channel = FindFigure(logged, kWorstChannel); is_same(channel, allowance)) {
    metric.by = kWorstChannel;
    metric.db = FromLogged(*channel);
    metric.red_db -= allowance;
    metric.amber_db -= allowance;
  }
  return metric;
}

// A diagnosis of a file comparison replaces level, severity and cause, because it is based on more
// data. It applies to the layer's metrics, and to the tensor that it describes (its part).
// `figures` are the layer's metrics.
void ApplyFinding(const RankingOptions& options, bool has_figures, const LayerMetrics& figures,
                  RankedLayer& layer) {
  const auto found = options.findings.find(layer.variant.layer);
  if (found == options.findings.end()) return;
  const LayerFinding& finding = found->second;
  const bool is_about = finding.part == NameOf(layer.variant.role);
  if (!has_figures && !is_about) {
    if (finding.level == Level::kGreen) layer.diagnosis = {.level = Level::kGreen};
    // Converts the SQNR to 8 bits, because a diagnosis uses 8 bits.
    if (layer.variant.role == TensorRole::kWeight) {
      layer.severity = std::pow(layer.severity, verdict::AsOf8BitsDb(1, finding.bits));
    }
    return;
  }
  layer.from_logged = true;
  layer.severity = ErrorOf(finding.severity_db);
  layer.level_metric = LevelMetricOf(finding, options.thresholds, figures);
  layer.from_comparison = true;
  layer.diagnosis = {
      .level = finding.level, .cause = finding.cause, .explanation = finding.explanation};
  layer.fix = finding.fix;
  const bool is_tensor = !layer.variant.tag.empty();
  if (is_tensor && !is_about && !finding.explanation.empty()) {
    layer.diagnosis.explanation = "in its " + finding.part + ": " + finding.explanation;
  }
}

// Adds all layers that have logged metrics and no histograms.
void AddLoggedOnly(const std::map<std::string, LayerMetrics, std::less<>>& logged,
                   const RankingOptions& options, std::vector<RankedLayer>& layers) {
  std::set<std::string_view> compared;
  for (const RankedLayer& layer : layers) compared.insert(layer.variant.layer);
  const std::optional<double> best_score = BestScore(logged);
  std::vector<RankedLayer> added;
  for (const auto& [name, figures] : logged) {
    if (compared.contains(name)) continue;
    RankedLayer layer{.baseline = {.layer = name}, .variant = {.layer = name}, .logged = figures};
    layer.fallback_operation = FallbackOperation(layer.variant);
    ApplyLogged(options, layer);
    if (!layer.from_logged) {
      DiagnoseFromFigures(options.widths.For(TensorRole::kOutput), options.thresholds, best_score,
                          layer);
    }
    ApplyFinding(options, true, figures, layer);
    added.push_back(std::move(layer));
  }
  std::ranges::stable_sort(added, std::greater<>(),
                           [](const RankedLayer& layer) { return OrderOf(layer.logged); });
  std::ranges::move(added, std::back_inserter(layers));
}

void CompareToMedian(std::vector<RankedLayer>& layers) {
  if (layers.empty()) return;
  const double median = layers[layers.size() / 2].severity;  // Layers are sorted by severity.
  for (RankedLayer& layer : layers) {
    layer.times_median = median > 0 ? layer.severity / median : 0;
  }
}

// Layers that are known to cause the error come first. If files were compared, levels are compared
// before SQNR.
void SortByLevel(bool has_findings, std::vector<RankedLayer>& layers) {
  const auto is_carried = [](const RankedLayer& layer) { return !layer.carried_from.empty(); };
  if (!has_findings && std::ranges::none_of(layers, is_carried)) return;
  std::ranges::stable_sort(layers, std::greater<>(), [&](const RankedLayer& layer) {
    return std::pair(layer.diagnosis.level, !is_carried(layer));
  });
}

// Compares the two histograms of a layer. If one cannot be read, adds the reason to the problems of
// the ranking and returns false.
bool CompareHistograms(const HistogramSource& histograms, const RankingOptions& options,
                       RankedLayer& layer, LayerRanking& ranking) {
  const auto before = histograms.Read(layer.baseline.run, layer.baseline.tag, options.step);
  const auto after = histograms.Read(layer.variant.run, layer.variant.tag, options.step);
  for (const auto* side : {&before, &after}) {
    if (*side) continue;
    const LayerTensor& tensor = side == &before ? layer.baseline : layer.variant;
    ranking.errors.push_back(
        Annotate(side->error(), "run " + Quoted(tensor.run) + ", histogram " + Quoted(tensor.tag)));
  }
  if (!before || !after) return false;
  const int codes = CodesOf(layer.baseline.role, options.widths);
  const int bits = options.widths.For(layer.baseline.role);
  const Thresholds thresholds = ThresholdsFor(bits, options.thresholds);
  const HistogramComparison compared = CompareDistributions(*before, *after, codes);
  layer.diagnosis = DiagnoseHistograms(*before, *after, compared, thresholds, codes);
  if (compared.is_identical()) return true;
  layer.histogram = compared;
  layer.severity = ErrorOf(compared.sqnr_at_most_db);
  layer.level_metric = LevelMetric{.by = "sqnr_at_most_db",
                                   .db = compared.sqnr_at_most_db,
                                   .red_db = thresholds.sqnr_red_db,
                                   .amber_db = thresholds.sqnr_amber_db,
                                   .bits = bits,
                                   .is_bound = true};
  return true;
}

// Sorts layers by their place in the model's graph; layers that are not in the graph follow in the
// order of the log. Does nothing if the graph contains no layer.
bool PlaceInGraph(const RankingOptions& options, std::vector<RankedLayer>& layers) {
  const auto place_of = [&](const RankedLayer& layer) {
    const auto found = options.places.find(layer.baseline.layer);
    return found != options.places.end() ? found : options.places.find(layer.variant.layer);
  };
  const auto is_placed = [&](const RankedLayer& layer) {
    return place_of(layer) != options.places.end();
  };
  if (std::ranges::none_of(layers, is_placed)) return false;
  std::size_t last = 0;
  for (const auto& [layer, place] : options.places) last = std::max(last, place);
  for (RankedLayer& layer : layers) {
    const auto found = place_of(layer);
    layer.baseline.depth =
        found != options.places.end() ? found->second : last + 1 + layer.baseline.depth;
  }
  return true;
}

}  // namespace

double LevelMetric::as_of_8_bits_db() const {
  return std::isfinite(db) ? verdict::AsOf8BitsDb(db, bits) : db;
}

LevelCounts CountLevels(const LayerRanking& ranking) {
  LevelCounts counts;
  for (const RankedLayer& layer : ranking.layers) {
    switch (layer.diagnosis.level) {
      case Level::kRed:
        ++counts.red;
        break;
      case Level::kAmber:
        ++counts.amber;
        break;
      case Level::kGreen:
        ++counts.green;
        break;
      case Level::kUnmeasured:
        ++counts.unmeasured;
        break;
    }
  }
  return counts;
}

LayerRanking RankLayers(std::span<const LayerTensor> baseline, std::span<const LayerTensor> variant,
                        const HistogramSource& histograms,
                        const std::map<std::string, LayerMetrics, std::less<>>& logged,
                        const RankingOptions& options) {
  LayerRanking ranking{.not_measured = options.not_measured, .widths = options.widths};
  const LoggedPairing pairing = PairLoggedLayers(baseline, variant);
  const std::optional<double> best_score = BestScore(logged);
  // Layer metrics describe the layer's output, or its weights if no output was logged.
  std::set<std::string_view> with_output;
  for (const LoggedPair& pair : pairing.pairs) {
    const LayerTensor& tensor = variant[pair.variant];
    if (tensor.role == TensorRole::kOutput) with_output.insert(tensor.layer);
  }
  for (const LoggedPair& pair : pairing.pairs) {
    RankedLayer layer{.baseline = baseline[pair.baseline],
                      .variant = variant[pair.variant],
                      .paired_by = pair.how};
    if (options.not_measured.empty() && !CompareHistograms(histograms, options, layer, ranking)) {
      continue;
    }
    layer.fallback_operation = FallbackOperation(layer.variant);
    const auto numbers = logged.find(layer.variant.layer);
    const bool has_figures =
        layer.variant.role == (with_output.contains(layer.variant.layer) ? TensorRole::kOutput
                                                                         : TensorRole::kWeight) &&
        numbers != logged.end();
    if (has_figures) {
      layer.logged = numbers->second;
      ApplyLogged(options, layer);
      // Uses only logged metrics if there are no usable histograms.
      if (layer.diagnosis.level == Level::kUnmeasured) {
        DiagnoseFromFigures(options.widths.For(layer.baseline.role), options.thresholds, best_score,
                            layer);
      }
    }
    ApplyFinding(options, has_figures, numbers == logged.end() ? LayerMetrics() : numbers->second,
                 layer);
    ranking.layers.push_back(std::move(layer));
  }
  AddLoggedOnly(logged, options, ranking.layers);
  ranking.in_graph_order = PlaceInGraph(options, ranking.layers);
  std::ranges::stable_sort(ranking.layers, std::greater<>(), &RankedLayer::severity);
  CompareToMedian(ranking.layers);
  MarkPrunedOutputs(ranking.layers);
  MarkCarriedErrors(ranking.layers);
  SortByLevel(!options.findings.empty(), ranking.layers);
  for (RankedLayer& layer : ranking.layers) {
    if (layer.diagnosis.level == Level::kUnmeasured && layer.diagnosis.explanation.empty()) {
      layer.diagnosis.explanation =
          options.not_measured.empty()
              ? "not measured: no figure of this layer says how far it is from the float model; "
                "log sqnr_db or cosine, or its output before and after quantization"
              : options.not_measured;
    }
  }
  for (const std::size_t i : pairing.baseline_only) ranking.baseline_only.push_back(baseline[i]);
  for (const std::size_t i : pairing.variant_only) ranking.variant_only.push_back(variant[i]);
  return ranking;
}

std::map<std::string, LayerMetrics, std::less<>> CollectLayerMetrics(const reader::Run& run,
                                                                     const LayerFilter& filter) {
  ModelFilter models(filter);
  std::map<std::string, LayerMetrics, std::less<>> layers;
  const auto add = [&](const reader::Tag& tag) {
    if (tag.kind() != reader::TagKind::kScalar || tag.scalars.empty()) return;
    const auto tensor = ParseLayerTag(tag);
    if (!tensor || tensor->model.empty() || tensor->variant != filter.variant) return;
    if (tensor->parameter.empty() || !models.Contain(tensor->model)) return;
    layers[tensor->layer][tensor->parameter] = tag.scalars.back().value;
  };
  for (const std::span<const reader::Tag> tags : TagsOfLayers(run, filter)) {
    for (const reader::Tag& tag : tags) add(tag);
  }
  return layers;
}

}  // namespace cboard::analysis
