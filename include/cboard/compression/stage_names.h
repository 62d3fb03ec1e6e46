// The stages of post-training quantization, in the names of all versions of the Model Compression
// Toolkit and of our own quantizer (after_folding, after_equalization, after_calibration).
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace cboard::compression {

struct StageDescription {
  int order = 0;           // Where in the pipeline; ascending.
  std::string_view name;   // Name of the newest version.
  std::string_view title;  // "Thresholds selected"
  bool quantized = false;  // Whether weights may already count at their final width.
};

// By a name of any version: "after_analyzer_graph" is after_statistic_collection. Nothing for other
// names.
std::optional<StageDescription> DescribeStage(std::string_view directory);

// The names of the newest version, in the order of the pipeline.
std::span<const std::string_view> StageNames();

}  // namespace cboard::compression
