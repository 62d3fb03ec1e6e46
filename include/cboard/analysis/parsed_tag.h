// Extracts the model, the variant and the metric of a logged scalar.
//
// Four tag formats give the same result:
//
//   stored   Compression Board stores the parts with each value (docs/formats/compression-tags.md)
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

// Tag formats, the most reliable first. If a log has the same value in two formats, the earlier
// format is used.
enum class TagFormat { kStored, kFlat, kGroup, kTuning, kStage };

// The name of a tag format: "stored", "flat", "group", "tuning", "stage".
std::string_view NameOf(TagFormat dialect);

enum class FactKind {
  kMetric,  // A metric of one variant: accuracy, latency_mean_ms, …
  kRatio,   // A ratio between a variant and its baseline: size_ratio, aurora, aurora/quality, …
};

// How a logged AURORA score was computed, if the log says so. All members are empty for scores that
// other programs logged.
struct AuroraLabel {
  std::string formula = {};  // v1, mean
  std::optional<double> coverage = {};
  std::vector<std::pair<std::string, double>> weights = {};  // By factor.
  std::optional<double> penalty_factor = {};
  std::string quality_metric = {};  // Empty means accuracy.
  std::string measured_on = {};
};

struct ParsedTag {
  TagFormat dialect = TagFormat::kFlat;
  FactKind kind = FactKind::kMetric;
  std::string experiment = {};  // The run, without the part that names model and variant.
  std::string model = {};
  std::string variant = {};
  std::string baseline = {};  // Baseline of a ratio, if known.
  std::string metric = {};    // The key of benchmark JSON, or the name of the ratio.
  std::string unit = {};
  compression::Better better = compression::Better::kUnknown;
  // True if the log says that the value was computed from other metrics, not measured.
  bool derived = false;
  AuroraLabel aurora = {};
};

// The name and metadata of a scalar: everything known about it without reading its points.
struct ScalarName {
  std::string_view run = {};
  std::string_view directory =
      {};  // The last part of the run's directory; may differ from the run.
  std::string_view tag = {};
  std::string_view plugin_name = {};
  std::string_view plugin_content = {};
};

// Parses the name of a scalar. Returns nullopt if the scalar does not describe compression.
std::optional<ParsedTag> ParseTag(const ScalarName& scalar);

// One parser per tag format. Each leaves `experiment` empty if the tag alone does not contain it;
// the caller then sets it.

// Parses the plugin data of a tag: {"v":1,"model":"alexnet","variant":"int8","metric":"accuracy"}.
// A value with a baseline is a ratio. Returns nullopt for other bytes, and for a version above 1.
std::optional<ParsedTag> ParseMetadata(std::string_view plugin_content);

// The "model" in the plugin data of a tag, as the user spelled it; empty if it is missing.
std::string ModelOfStored(std::string_view plugin_content);

// The "layer" in the plugin data of a tag: the exact name of the layer. The tag itself may not
// contain the exact name. Empty if it is missing.
std::string LayerOfStored(std::string_view plugin_content);

// The "node" in the plugin data of a tag: the operator that a layer belongs to, if its name differs
// from the layer's. Empty if it is missing.
std::string NodeOfStored(std::string_view plugin_content);

// Parses <model>/metrics|performance/<metric>/<variant> and
// <model>/compression/<ratio>[/<variant>]. A model may contain slashes, so the tag is parsed from
// its end.
std::optional<ParsedTag> ParseFlatTag(std::string_view tag);

// Parses a sub-run of add_scalars. The group must be a metric of the vocabulary, because any
// program may call add_scalars. `train` and `val` are curves of one training, not variants.
std::optional<ParsedTag> ParseGroupTag(std::string_view run, std::string_view tag);

// Parses a scalar of a tuning run: accuracy, performance/latency_ms, hparam/accuracy, …
std::optional<ParsedTag> ParseTrialTag(std::string_view run, std::string_view directory,
                                       std::string_view tag);

// The key of a metric, from any name under which it was logged: latency and latency_ms give
// latency_mean_ms.
std::string MetricKeyOf(std::string_view logged_name);

// True for names that always mean a variant: fp32, int8, w4a8, pruned50, baseline,
// …
bool IsKnownVariant(std::string_view variant);

// True if `variant` names a compression or its absence: int8, w4a8, pruned50, fp32. False for
// "baseline" and "original", because comparisons of any kind use these names.
bool NamesCompression(std::string_view variant);

// Returns a key that is equal for two spellings of a model if they give equal tags: "my net" and
// "my_net".
std::string ModelKeyOf(std::string_view model);

}  // namespace cboard::analysis
