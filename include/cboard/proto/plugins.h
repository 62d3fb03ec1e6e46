// The plugin data that TensorBoard keeps in SummaryMetadata.PluginData.content, and the custom
// scalar layout, which is the content of a string tensor.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cboard/proto/tensor.h"

namespace cboard::proto {

std::string EncodePrCurvePluginData(std::uint32_t num_thresholds);

enum class MeshContent : int { kUndefined = 0, kVertex = 1, kFace = 2, kColor = 3 };

struct MeshPluginData {
  std::string_view name;
  MeshContent content_type = MeshContent::kUndefined;
  std::string_view json_config;
  std::span<const std::int64_t> shape;
  std::uint32_t components = 0;  // Bits 1 << content_type; 0 is left out and read as all three.
};
std::string EncodeMeshPluginData(const MeshPluginData& data);

// Hyperparameters.
using HParamValue = std::variant<double, bool, std::string>;

enum class HParamType : int { kUnset = 0, kString = 1, kBool = 2, kFloat64 = 3 };

struct HParamInfo {
  std::string name;
  std::string display_name;
  std::string description;
  HParamType type = HParamType::kUnset;
  std::vector<HParamValue> domain_discrete;  // Empty: none.
  std::optional<std::pair<double, double>> domain_interval;
};

struct MetricInfo {
  std::string group;
  std::string tag;
  std::string display_name;
  std::string description;
};

struct HParamsExperiment {
  std::string name;
  std::string description;
  std::string user;
  double time_created_seconds = 0;
  std::vector<HParamInfo> hparams;
  std::vector<MetricInfo> metrics;
};

// Each gives a whole HParamsPluginData.
std::string EncodeHParamsExperiment(const HParamsExperiment& experiment);
std::string EncodeHParamsSessionStart(const std::map<std::string, HParamValue>& hparams,
                                      std::string_view group_name = {},
                                      double start_time_seconds = 0);
enum class HParamsStatus : int { kUnknown = 0, kSuccess = 1, kFailure = 2, kRunning = 3 };
std::string EncodeHParamsSessionEnd(HParamsStatus status, double end_time_seconds = 0);

// Custom scalars.
struct MarginSeries {
  std::string value, lower, upper;
};
struct LayoutChart {
  std::string title;
  std::vector<std::string> multiline_tags;  // Either these …
  std::vector<MarginSeries> margins;        // … or these.
};
struct LayoutCategory {
  std::string title;
  std::vector<LayoutChart> charts;
  bool closed = false;
};
std::string EncodeLayout(std::span<const LayoutCategory> categories);

}  // namespace cboard::proto
