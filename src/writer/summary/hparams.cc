#include "writer/summary/hparams.h"

#include <cmath>
#include <map>
#include <set>

#include "cboard/base/strings.h"
#include "cboard/proto/plugins.h"
#include "cboard/proto/summary.h"
#include "writer/summary/plugin_metadata.h"

namespace cboard::writer::summary {
namespace {

using proto::HParamType;

Result<void> ValidateName(const std::string& name, std::string_view what,
                          std::set<std::string>& seen) {
  if (name.empty()) {
    return Fail(ErrorCode::kInvalidArgument,
                "a " + std::string(what) + " has an empty name; give it a name");
  }
  if (!seen.insert(name).second) {
    return Fail(ErrorCode::kInvalidArgument,
                std::string(what) + " " + Quoted(name) + " is given twice; keep one of them");
  }
  return {};
}

HParamType TypeOf(const HParam& value) {
  if (std::holds_alternative<bool>(value)) return HParamType::kBool;
  if (std::holds_alternative<double>(value)) return HParamType::kFloat64;
  return HParamType::kString;
}

Result<HParam> Storable(const std::string& name, const HParam& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return ToValidUtf8(*text);
  const auto* number = std::get_if<double>(&value);
  if (number != nullptr && !std::isfinite(*number)) {
    return Fail(ErrorCode::kInvalidArgument,
                "hyperparameter " + Quoted(name) + " is " + ShortestDecimal(*number) +
                    ", which TensorBoard cannot show; give a finite number or a text");
  }
  return value;
}

// Returns a Summary with one value that consists of metadata only.
std::string MetadataSummary(std::string_view tag, std::string_view plugin_data) {
  std::string summary;
  proto::AppendMetadataValue(tag, ForPlugin("hparams", plugin_data), summary);
  return summary;
}

}  // namespace

Result<HParamsSummaries> MakeHParamsSummaries(
    const std::vector<std::pair<std::string, HParam>>& hparams,
    const std::vector<std::pair<std::string, double>>& metrics) {
  proto::HParamsExperiment experiment;
  std::map<std::string, proto::HParamValue> values;
  std::set<std::string> seen;
  for (const auto& [raw_name, raw_value] : hparams) {
    const std::string name = ToValidUtf8(raw_name);
    CBOARD_RETURN_IF_ERROR(ValidateName(name, "hyperparameter", seen));
    CBOARD_ASSIGN_OR_RETURN(HParam value, Storable(name, raw_value));
    proto::HParamInfo& info = experiment.hparams.emplace_back();
    info.name = name;
    info.type = TypeOf(value);
    values.emplace(name, std::move(value));
  }
  seen.clear();
  for (const auto& metric : metrics) {
    std::string tag = ToValidUtf8(metric.first);
    CBOARD_RETURN_IF_ERROR(ValidateName(tag, "metric", seen));
    experiment.metrics.emplace_back().tag = std::move(tag);
  }
  return HParamsSummaries{
      .experiment = MetadataSummary("_hparams_/experiment", EncodeHParamsExperiment(experiment)),
      .session_start =
          MetadataSummary("_hparams_/session_start_info", proto::EncodeHParamsSessionStart(values)),
      .session_end =
          MetadataSummary("_hparams_/session_end_info",
                          proto::EncodeHParamsSessionEnd(proto::HParamsStatus::kSuccess)),
  };
}

}  // namespace cboard::writer::summary
