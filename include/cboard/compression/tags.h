// The tag grammar of compression logs, and the metadata of each value.
//
//   {"v":1,"model":"alexnet","variant":"int8","metric":"accuracy","better":"higher"}
//
// A tag alone cannot be split safely, because models and variants may contain slashes and writers
// replace unusual characters. Each scalar therefore stores its parts as JSON in the plugin data of
// its metadata, under the plugin name kCompressionPluginName; docs/formats/compression-tags.md
// defines this JSON. TensorBoard ignores the plugin data and shows an ordinary scalar.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cboard/compression/aurora.h"
#include "cboard/compression/metrics.h"
#include "cboard/writer/summaries.h"

namespace cboard::compression {

inline constexpr std::string_view kCompressionPluginName = "compression_board";

enum class CompressionTagKind {
  kMetric,               // <model>/metrics|performance/<metric>/<variant>
  kGroup,                // <model>/<group>, one sub-run per variant
  kRatio,                // <model>/compression/<ratio>[/<variant>]
  kLatencyDistribution,  // <model>/latency_distribution/<variant>
  kMetadata,             // <model>/metadata/<name>
};

// The parts of a tag. The views are valid only during the function call that receives them.
struct TagParts {
  CompressionTagKind kind = CompressionTagKind::kMetric;
  std::string_view model;
  std::string_view name;     // Metric key, group, ratio or metadata name.
  std::string_view variant;  // Empty if the tag has no variant.
  std::string_view baseline;
};

// Returns the default tag of a value, as docs/formats/compression-tags.md defines it.
std::string DefaultTag(const TagParts& parts);

// Returns display name, description and plugin data of a metric of one variant. `derived` means
// that the value was computed from other metrics.
writer::ScalarLabels LabelsOf(const MetricDescription& metric, std::string_view model,
                              std::string_view variant, bool derived = false);

// Returns the labels of a ratio between a variant and its baseline.
writer::ScalarLabels LabelsOf(const RatioValue& ratio, std::string_view model,
                              std::string_view variant, std::string_view baseline,
                              bool derived = false);

// Returns the labels of "aurora", "aurora_mean" or "aurora/<factor>", including formula, weights
// and coverage.
writer::ScalarLabels LabelsOfAurora(std::string_view name, const AuroraScore& score,
                                    const AuroraOptions& options, std::string_view model,
                                    std::string_view variant, std::string_view baseline);

}  // namespace cboard::compression
