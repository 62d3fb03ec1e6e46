// Reads HParamsPluginData; hparams.cc writes it.
#include "cboard/proto/plugins.h"
#include "proto/wire_reader.h"

namespace cboard::proto {
namespace {

// Reads a google.protobuf.Value. Returns nullopt for null, structures and lists.
std::optional<HParamValue> ReadValue(pbf_reader fields) {
  std::optional<HParamValue> value;
  while (fields.next()) {
    switch (fields.tag_and_type()) {
      case Fixed64(2):
        value = fields.get_double();
        break;
      case Length(3):
        value = std::string(ViewOf(fields));
        break;
      case Varint(4):
        value = BoolOf(fields);
        break;
      default:
        if (fields.tag() == 1 || fields.tag() == 5 || fields.tag() == 6) value.reset();
        fields.skip();
    }
  }
  return value;
}

std::pair<double, double> ReadInterval(pbf_reader fields) {
  std::pair<double, double> interval;
  while (fields.next()) {
    switch (fields.tag_and_type()) {
      case Fixed64(1):
        interval.first = fields.get_double();
        break;
      case Fixed64(2):
        interval.second = fields.get_double();
        break;
      default:
        fields.skip();
    }
  }
  return interval;
}

HParamInfo ReadHParamInfo(pbf_reader fields) {
  HParamInfo info;
  while (fields.next()) {
    switch (fields.tag_and_type()) {
      case Length(1):
        info.name = ViewOf(fields);
        break;
      case Length(2):
        info.display_name = ViewOf(fields);
        break;
      case Length(3):
        info.description = ViewOf(fields);
        break;
      case Varint(4):
        info.type = static_cast<HParamType>(fields.get_enum());
        break;
      case Length(5): {
        info.domain_interval.reset();  // In a oneof, the last member is used.
        pbf_reader list = fields.get_message();
        while (list.next()) {
          if (list.tag_and_type() != Length(1)) {
            list.skip();
          } else if (auto value = ReadValue(list.get_message())) {
            info.domain_discrete.push_back(*std::move(value));
          }
        }
        break;
      }
      case Length(6):
        info.domain_discrete.clear();
        info.domain_interval = ReadInterval(fields.get_message());
        break;
      default:
        fields.skip();
    }
  }
  return info;
}

void ReadMetricName(pbf_reader fields, MetricInfo& info) {
  while (fields.next()) {
    switch (fields.tag_and_type()) {
      case Length(1):
        info.group = ViewOf(fields);
        break;
      case Length(2):
        info.tag = ViewOf(fields);
        break;
      default:
        fields.skip();
    }
  }
}

MetricInfo ReadMetricInfo(pbf_reader fields) {
  MetricInfo info;
  while (fields.next()) {
    switch (fields.tag_and_type()) {
      case Length(1):
        ReadMetricName(fields.get_message(), info);
        break;
      case Length(3):
        info.display_name = ViewOf(fields);
        break;
      case Length(4):
        info.description = ViewOf(fields);
        break;
      case Varint(5):
        info.dataset_type = static_cast<DatasetType>(fields.get_enum());
        break;
      default:
        fields.skip();
    }
  }
  return info;
}

HParamsExperiment ReadExperiment(pbf_reader fields) {
  HParamsExperiment experiment;
  while (fields.next()) {
    switch (fields.tag_and_type()) {
      case Length(1):
        experiment.description = ViewOf(fields);
        break;
      case Length(2):
        experiment.user = ViewOf(fields);
        break;
      case Fixed64(3):
        experiment.time_created_seconds = fields.get_double();
        break;
      case Length(4):
        experiment.hparams.push_back(ReadHParamInfo(fields.get_message()));
        break;
      case Length(5):
        experiment.metrics.push_back(ReadMetricInfo(fields.get_message()));
        break;
      case Length(6):
        experiment.name = ViewOf(fields);
        break;
      default:
        fields.skip();
    }
  }
  return experiment;
}

void ReadHParam(pbf_reader fields, std::map<std::string, HParamValue>& hparams) {
  std::string name;
  std::optional<HParamValue> value;
  while (fields.next()) {
    switch (fields.tag_and_type()) {
      case Length(1):
        name = ViewOf(fields);
        break;
      case Length(2):
        value = ReadValue(fields.get_message());
        break;
      default:
        fields.skip();
    }
  }
  if (value) hparams.insert_or_assign(std::move(name), *std::move(value));
}

HParamsSessionStart ReadSessionStart(pbf_reader fields) {
  HParamsSessionStart start;
  while (fields.next()) {
    switch (fields.tag_and_type()) {
      case Length(1):
        ReadHParam(fields.get_message(), start.hparams);
        break;
      case Length(2):
        start.model_uri = ViewOf(fields);
        break;
      case Length(3):
        start.monitor_url = ViewOf(fields);
        break;
      case Length(4):
        start.group_name = ViewOf(fields);
        break;
      case Fixed64(5):
        start.start_time_seconds = fields.get_double();
        break;
      default:
        fields.skip();
    }
  }
  return start;
}

HParamsSessionEnd ReadSessionEnd(pbf_reader fields) {
  HParamsSessionEnd end;
  while (fields.next()) {
    switch (fields.tag_and_type()) {
      case Varint(1):
        end.status = static_cast<HParamsStatus>(fields.get_enum());
        break;
      case Fixed64(2):
        end.end_time_seconds = fields.get_double();
        break;
      default:
        fields.skip();
    }
  }
  return end;
}

}  // namespace

Result<HParamsPluginData> ParseHParamsPluginData(std::string_view bytes) {
  return ReadMessage<HParamsPluginData>("HParamsPluginData", bytes,
                                        [](pbf_reader fields, HParamsPluginData& data) {
                                          while (fields.next()) {
                                            switch (fields.tag_and_type()) {
                                              case Length(2):
                                                data = ReadExperiment(fields.get_message());
                                                break;
                                              case Length(3):
                                                data = ReadSessionStart(fields.get_message());
                                                break;
                                              case Length(4):
                                                data = ReadSessionEnd(fields.get_message());
                                                break;
                                              default:
                                                fields.skip();
                                            }
                                          }
                                        });
}

}  // namespace cboard::proto
