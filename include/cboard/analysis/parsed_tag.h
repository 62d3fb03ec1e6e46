// The model, the variant and the metric of a logged scalar.
//
// Four ways of logging give the same result:
//
//   stored   our own writers keep the parts with each value (docs/formats/compression-tags.md)
//   flat     alexnet/metrics/accuracy/int8, alexnet/compression/size_ratio
//   groups   add_scalars("alexnet/accuracy", {"fp32": …}): a sub-run per variant, in which the tag
//            is alexnet/accuracy; tensorboardX calls it <run>/alexnet/accuracy/fp32, PyTorch
//            <run>/alexnet_accuracy_fp32
//   tuning   runs baseline_acc_0.776, tune_1_acc_0.095 with scalars that name no model
//
//   ParseTag({.run = "exp", .tag = "alexnet/metrics/accuracy/int8"})->variant;  // int8
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cboard/compression/metrics.h"

namespace cboard::analysis {

// In the order of trust: of two values for the same cell the one further up counts.
enum class TagFormat { kStored, kFlat, kGroup, kTuning, kStage };

// "stored", "flat", "group", "tuning", "stage".
std::string_view NameOf(TagFormat dialect);

enum class FactKind {
  kMetric,  // A metric of one variant: accuracy, latency_mean_ms, …
  kRatio,   // Between a variant and its baseline: size_ratio, aurora, aurora/quality, …
};

// How a logged AURORA score was made. All of it comes from the log; a score of a foreign log has
// none of it.
struct AuroraLabel {
  std::string formula = {};  // v1, mean
  std::optional<double> coverage = {};
  std::vector<std::pair<std::string, double>> weights = {};  // By factor.
  std::optional<double> penalty_factor = {};
  std::string quality_metric = {};  // Empty: accuracy.
  std::string measured_on = {};
};

struct ParsedTag {
  TagFormat dialect = TagFormat::kFlat;
  FactKind kind = FactKind::kMetric;
  std::string experiment = {};  // The run, without the part that names model and variant.
  std::string model = {};
  std::string variant = {};
  std::string baseline = {};  // Baseline of a ratio, if it is known.
  std::string metric = {};    // The key of benchmark JSON, or the name of the ratio.
  std::string unit = {};
  compression::Better better = compression::Better::kUnknown;
  bool derived = false;  // Worked out from other figures, as the log says; not measured.
  AuroraLabel aurora = {};
};

// All that is known of a scalar without looking at its points.
struct ScalarName {
  std::string_view run = {};
  std::string_view directory =
      {};  // The last part of the run's directory; may differ from the run.
  std::string_view tag = {};
  std::string_view plugin_name = {};
  std::string_view plugin_content = {};
};

// Nothing, when the scalar is not about compression.
std::optional<ParsedTag> ParseTag(const ScalarName& scalar);

// Parsers, one per tag format; each leaves `experiment` to its caller where the tag alone does not
// contain it.

// Parses plugin data: {"v":1,"model":"alexnet","variant":"int8","metric":"accuracy"}. A value with
// a baseline is a ratio. Returns nullopt for other bytes, and for a version above 1.
std::optional<ParsedTag> ParseMetadata(std::string_view plugin_content);

// The "model" of such data, as its user spelled it. Empty without one.
std::string ModelOfStored(std::string_view plugin_content);

// The "layer" of such data: a layer's own name, which tags do not always keep. Empty without one.
std::string LayerOfStored(std::string_view plugin_content);

// Its "node": the operation that a layer is part of, where that has another name. Likewise.
std::string NodeOfStored(std::string_view plugin_content);

// <model>/metrics|performance/<metric>/<variant>, <model>/compression/<ratio>[/<variant>]. A model
// may contain slashes, so tags are read from their end.
std::optional<ParsedTag> ParseFlatTag(std::string_view tag);

// A sub-run of add_scalars. The group must be a metric of the vocabulary, since any program may
// call add_scalars; `train` and `val` are curves of one training, not variants.
std::optional<ParsedTag> ParseGroupTag(std::string_view run, std::string_view tag);

// A scalar of a tuning run: accuracy, performance/latency_ms, hparam/accuracy, …
std::optional<ParsedTag> ParseTrialTag(std::string_view run, std::string_view directory,
                                       std::string_view tag);

// The key of a metric by any name it is logged under: latency, latency_ms -> latency_mean_ms.
std::string MetricKeyOf(std::string_view logged_name);

// Whether `variant` is one of the names that mean a variant wherever they stand: fp32, int8, w4a8,
// pruned50, baseline, …
bool IsKnownVariant(std::string_view variant);

// Whether `variant` says how a model was compressed, or that it was not: int8, w4a8, pruned50,
// fp32. "baseline" and "original" are words of many comparisons, and say neither.
bool NamesCompression(std::string_view variant);

// Equal for two spellings of the same model whose tags are equal: "my net" and "my_net".
std::string ModelKeyOf(std::string_view model);

}  // namespace cboard::analysis
