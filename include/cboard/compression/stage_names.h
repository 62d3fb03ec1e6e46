// The stages of post-training quantization, with the names of all versions of the Model Compression
// Toolkit and of `compression-board quantize` (after_folding, after_equalization,
// after_calibration).
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace cboard::compression {

struct StageDescription {
  int order = 0;           // Position in the pipeline; ascending.
  std::string_view name;   // Name of the newest version.
  std::string_view title;  // "Thresholds selected"
  bool quantized = false;  // Whether weights may already have their final bit width.
};

// Finds a stage by a name of any version: "after_analyzer_graph" is after_statistic_collection.
// nullopt for other names.
std::optional<StageDescription> DescribeStage(std::string_view directory);

// The stage names of the newest version, in pipeline order.
std::span<const std::string_view> StageNames();

}  // namespace cboard::compression
