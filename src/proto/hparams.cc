// Writes HParamsPluginData; hparams_reader.cc reads it.
#include "cboard/proto/plugins.h"
#include "proto/wire_writer.h"

namespace cboard::proto {
namespace {

// Writes a google.protobuf.Value. It is a oneof, so 0, false and "" are written too.
template <typename Fields>
void DescribeValue(Fields& fields, const HParamValue& value) {
  if (const double* number = std::get_if<double>(&value)) {
    fields.PresentDouble(2, *number);
  } else if (const std::string* text = std::get_if<std::string>(&value)) {
    fields.PresentText(3, *text);
  } else {
    fields.PresentInt(4, std::get<bool>(value) ? 1 : 0);
  }
}

template <typename Fields>
void DescribeHParamInfo(Fields& fields, const HParamInfo& info) {
  fields.Text(1, info.name);
  fields.Text(2, info.display_name);
  fields.Text(3, info.description);
  fields.Int(4, static_cast<int>(info.type));
  if (!info.domain_discrete.empty()) {
    fields.Message(5, [&](auto& list) {
      for (const HParamValue& value : info.domain_discrete) {
        list.Message(1, [&](auto& nested) { DescribeValue(nested, value); });
      }
    });
  } else if (info.domain_interval.has_value()) {
    fields.Message(6, [&](auto& interval) {
      interval.Double(1, info.domain_interval->first);
      interval.Double(2, info.domain_interval->second);
    });
  }
}

template <typename Fields>
void DescribeMetricInfo(Fields& fields, const MetricInfo& info) {
  fields.Message(1, [&](auto& name) {
    name.Text(1, info.group);
    name.Text(2, info.tag);
  });
  fields.Text(3, info.display_name);
  fields.Text(4, info.description);
  fields.Int(5, static_cast<int>(info.dataset_type));
}

// Encodes the HParamsPluginData of a session's start. It takes the parts and not a struct, so that
// both overloads of EncodeHParamsSessionStart can call it without a copy of the hyperparameters.
std::string EncodeStart(const std::map<std::string, HParamValue>& hparams,
                        std::string_view model_uri, std::string_view monitor_url,
                        std::string_view group_name, double start_time_seconds) {
  return EncodeMessage([&](auto& plugin_data) {
    plugin_data.Message(3, [&](auto& fields) {
      for (const auto& hparam : hparams) {
        fields.Message(1, [&](auto& entry) {
          entry.PresentText(1, hparam.first);
          entry.Message(2, [&](auto& nested) { DescribeValue(nested, hparam.second); });
        });
      }
      fields.Text(2, model_uri);
      fields.Text(3, monitor_url);
      fields.Text(4, group_name);
      fields.Double(5, start_time_seconds);
    });
  });
}

}  // namespace

std::string EncodeHParamsExperiment(const HParamsExperiment& experiment) {
  return EncodeMessage([&](auto& plugin_data) {
    plugin_data.Message(2, [&](auto& fields) {
      fields.Text(1, experiment.description);
      fields.Text(2, experiment.user);
      fields.Double(3, experiment.time_created_seconds);
      for (const HParamInfo& info : experiment.hparams) {
        fields.Message(4, [&](auto& nested) { DescribeHParamInfo(nested, info); });
      }
      for (const MetricInfo& info : experiment.metrics) {
        fields.Message(5, [&](auto& nested) { DescribeMetricInfo(nested, info); });
      }
      fields.Text(6, experiment.name);
    });
  });
}

std::string EncodeHParamsSessionStart(const HParamsSessionStart& start) {
  return EncodeStart(start.hparams, start.model_uri, start.monitor_url, start.group_name,
                     start.start_time_seconds);
}

std::string EncodeHParamsSessionStart(const std::map<std::string, HParamValue>& hparams,
                                      std::string_view group_name, double start_time_seconds) {
  return EncodeStart(hparams, {}, {}, group_name, start_time_seconds);
}

std::string EncodeHParamsSessionEnd(HParamsStatus status, double end_time_seconds) {
  return EncodeMessage([&](auto& plugin_data) {
    plugin_data.Message(4, [&](auto& fields) {
      fields.Int(1, static_cast<int>(status));
      fields.Double(2, end_time_seconds);
    });
  });
}

}  // namespace cboard::proto
