// Argument types of SummaryWriter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cboard/base/bytes.h"
#include "cboard/tensor/tensor_view.h"

namespace cboard::writer {

// Display name, description and plugin data of a scalar. They are stored as summary metadata.
struct ScalarLabels {
  std::string display_name;
  std::string description;
  std::string plugin_name;
  std::string plugin_content;
};

struct BoxStyle {
  std::vector<std::string> labels;  // Empty, or one per box.
  double rescale = 1;               // Resizes image and boxes before drawing.
};

struct RgbBuffer {
  ByteSpan pixels;  // height * width * channels bytes, row by row.
  std::int32_t height = 0;
  std::int32_t width = 0;
  std::int32_t channels = 3;  // 3 or 4.
};

struct EncodedImage {
  std::string_view file;
  std::int32_t height = 0;
  std::int32_t width = 0;
  std::int32_t channels = 3;
};

struct EmbeddingDetails {
  std::vector<std::vector<std::string>> metadata;  // Empty, or one row per row of the matrix.
  std::vector<std::string> metadata_header;        // Column names; empty if rows have one column.
  std::optional<TensorView> label_images;          // N x C x H x W, one square image per row.
  std::string tag = "default";
};

struct PrCurveRows {
  std::vector<float> true_positives, false_positives, true_negatives, false_negatives, precision,
      recall;
};

struct MeshDetails {
  std::optional<TensorView> colors;  // B x N x 3.
  std::optional<TensorView> faces;   // B x F x 3.
  std::string config_json = "null";  // For three.js: camera, lights, material.
};

using HParam = std::variant<double, bool, std::string>;

struct CustomScalarChart {
  std::string title;
  std::vector<std::string> tags;
  bool margin = false;  // If true, a chart has exactly three tags: value, lower, upper.
};
struct CustomScalarCategory {
  std::string title;
  std::vector<CustomScalarChart> charts;
};

}  // namespace cboard::writer
