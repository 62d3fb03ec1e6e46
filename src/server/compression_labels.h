// What the tags of compression logs are about: model, variant, metric.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "cboard/compression/metrics.h"
#include "cboard/reader/logdir_scan.h"

namespace cboard {

enum class LabelKind {
  kMetric,  // Of one variant: accuracy, latency_mean_ms, …
  kRatio,   // Between a variant and its baseline: size_ratio, aurora, aurora/quality, …
};

struct CompressionLabel {
  LabelKind kind = LabelKind::kMetric;
  std::string model = {};
  std::string variant = {};
  std::string baseline = {};  // Of ratios, when it is known.
  std::string metric = {};    // The key of benchmark JSON, or the name of the ratio.
  std::string unit = {};
  Better better = Better::kUnknown;
  std::optional<double> coverage = {};  // Of AURORA.
  bool from_tag = false;                // Guessed from the tag, not stored with the values.
};

// What is stored as plugin data: {"v":1,"model":"alexnet","variant":"int8","metric":"accuracy"}.
// Nothing when it is something else. A ratio is what names a baseline.
std::optional<CompressionLabel> ParseLabel(std::string_view plugin_content);

// What the tag itself says, for logs of other writers:
//
//   <model>/metrics/<metric>/<variant>       <model>/performance/<metric>/<variant>
//   <model>/compression/<ratio>              <model>/compression/<ratio>/<variant>
//
// A model may contain slashes, so tags are read from their end.
std::optional<CompressionLabel> LabelOfTag(std::string_view tag);

// The labels of all scalars of a run that are about compression, by tag. Stored ones are read from
// the event files, up to the record that has the last of them.
std::map<std::string, CompressionLabel> LabelsOfRun(const RunScan& run);

}  // namespace cboard
