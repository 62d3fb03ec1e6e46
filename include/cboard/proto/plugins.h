// Encodes and parses the plugin data that TensorBoard stores in SummaryMetadata.PluginData.content,
// and the layout of custom scalars, which is the content of a string tensor.
//
// Parsers fail with kDataLoss if the bytes are not the expected message.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/proto/tensor.h"

namespace cboard::proto {

std::string EncodePrCurvePluginData(std::uint32_t num_thresholds);

enum class MeshContent : int { kUndefined = 0, kVertex = 1, kFace = 2, kColor = 3 };

struct MeshPluginData {
  std::string_view name;
  MeshContent content_type = MeshContent::kUndefined;
  std::string_view json_config;
  std::span<const std::int64_t> shape;
  std::uint32_t components = 0;  // Bits 1 << content_type; 0 is omitted and read as all three.
};
std::string EncodeMeshPluginData(const MeshPluginData& data);

// Parsed plugin data of a mesh. It owns its strings. `components` is 0 if the message does not
// contain it.
struct ParsedMeshPluginData {
  std::string name;
  MeshContent content_type = MeshContent::kUndefined;
  std::string json_config;
  std::vector<std::int64_t> shape;
  std::uint32_t components = 0;
};
Result<ParsedMeshPluginData> ParseMeshPluginData(std::string_view bytes);

enum class AudioEncoding : int { kUnknown = 0, kWav = 11 };
// Encodes the plugin data of an audio tag. `converted_to_tensor` is true for a tensor that a reader
// made from an audio value.
std::string EncodeAudioPluginData(AudioEncoding encoding, bool converted_to_tensor);

// The value of a hyperparameter.
using HParamValue = std::variant<double, bool, std::string>;

enum class HParamType : int { kUnset = 0, kString = 1, kBool = 2, kFloat64 = 3 };

struct HParamInfo {
  std::string name;
  std::string display_name;
  std::string description;
  HParamType type = HParamType::kUnset;
  std::vector<HParamValue> domain_discrete;                  // Empty: none.
  std::optional<std::pair<double, double>> domain_interval;  // Ignored if there are values.

  friend bool operator==(const HParamInfo&, const HParamInfo&) = default;
};

enum class DatasetType : int { kUnknown = 0, kTraining = 1, kValidation = 2 };

struct MetricInfo {
  std::string group;
  std::string tag;
  std::string display_name;
  std::string description;
  DatasetType dataset_type = DatasetType::kUnknown;

  friend bool operator==(const MetricInfo&, const MetricInfo&) = default;
};

struct HParamsExperiment {
  std::string name;
  std::string description;
  std::string user;
  double time_created_seconds = 0;
  std::vector<HParamInfo> hparams;
  std::vector<MetricInfo> metrics;

  friend bool operator==(const HParamsExperiment&, const HParamsExperiment&) = default;
};

struct HParamsSessionStart {
  std::map<std::string, HParamValue> hparams;
  std::string model_uri;
  std::string monitor_url;
  std::string group_name;
  double start_time_seconds = 0;

  friend bool operator==(const HParamsSessionStart&, const HParamsSessionStart&) = default;
};

enum class HParamsStatus : int { kUnknown = 0, kSuccess = 1, kFailure = 2, kRunning = 3 };

struct HParamsSessionEnd {
  HParamsStatus status = HParamsStatus::kUnknown;
  double end_time_seconds = 0;

  friend bool operator==(const HParamsSessionEnd&, const HParamsSessionEnd&) = default;
};

// Each of these functions returns a complete serialized HParamsPluginData.
std::string EncodeHParamsExperiment(const HParamsExperiment& experiment);
std::string EncodeHParamsSessionStart(const HParamsSessionStart& start);
std::string EncodeHParamsSessionStart(const std::map<std::string, HParamValue>& hparams,
                                      std::string_view group_name = {},
                                      double start_time_seconds = 0);
std::string EncodeHParamsSessionEnd(HParamsStatus status, double end_time_seconds = 0);

// The content of a HParamsPluginData. monostate means that it has no content; TensorBoard itself
// writes such messages.
using HParamsPluginData =
    std::variant<std::monostate, HParamsExperiment, HParamsSessionStart, HParamsSessionEnd>;

// Parses hyperparameter plugin data. Values that are not a number, boolean or text (null, lists)
// are skipped.
Result<HParamsPluginData> ParseHParamsPluginData(std::string_view bytes);

// A series of a custom scalar chart with a margin: the tags of the value, of its lower bound and of
// its upper bound.
struct MarginSeries {
  std::string value, lower, upper;

  friend bool operator==(const MarginSeries&, const MarginSeries&) = default;
};
struct LayoutChart {
  std::string title;
  std::vector<std::string> multiline_tags;  // The tags of a multiline chart.
  // The series of a margin chart. If there are any, multiline_tags is not used.
  std::vector<MarginSeries> margins;

  friend bool operator==(const LayoutChart&, const LayoutChart&) = default;
};
struct LayoutCategory {
  std::string title;
  std::vector<LayoutChart> charts;
  bool closed = false;

  friend bool operator==(const LayoutCategory&, const LayoutCategory&) = default;
};
std::string EncodeLayout(std::span<const LayoutCategory> categories);
Result<std::vector<LayoutCategory>> ParseLayout(std::string_view bytes);

}  // namespace cboard::proto
