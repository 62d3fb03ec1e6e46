// Reads Summary.Value; summary.cc writes it.
#include "cboard/proto/summary.h"
#include "proto/packed.h"
#include "proto/wire_reader.h"

namespace cboard::proto {
namespace {

void ReadPluginData(pbf_reader fields, SummaryMetadata& metadata) {
  while (fields.next()) {
    switch (fields.tag_and_type()) {
      case Length(1):
        metadata.plugin_name = ViewOf(fields);
        break;
      case Length(2):
        metadata.plugin_content = ViewOf(fields);
        break;
      default:
        fields.skip();
    }
  }
}

void ReadValue(pbf_reader fields, SummaryValue& value) {
  while (fields.next()) {
    switch (fields.tag_and_type()) {
      case Length(1):
        value.tag = ViewOf(fields);
        break;
      case Fixed32(2):
        value.kind = ValueKind::kSimpleValue;
        value.simple_value = fields.get_float();
        value.payload = {};
        break;
      case Length(3):
      case Length(4):
      case Length(5):
      case Length(6):
      case Length(8):
        value.kind = static_cast<ValueKind>(fields.tag());
        value.simple_value = 0;
        value.payload = ViewOf(fields);
        break;
      case Length(9):
        value.metadata = ViewOf(fields);
        break;
      default:
        fields.skip();
    }
  }
}

}  // namespace

Result<SummaryMetadata> ParseSummaryMetadata(std::string_view bytes) {
  return ReadMessage<SummaryMetadata>(
      "SummaryMetadata", bytes, [](pbf_reader fields, SummaryMetadata& metadata) {
        while (fields.next()) {
          switch (fields.tag_and_type()) {
            case Length(1):
              ReadPluginData(fields.get_message(), metadata);
              break;
            case Length(2):
              metadata.display_name = ViewOf(fields);
              break;
            case Length(3):
              metadata.description = ViewOf(fields);
              break;
            case Varint(4):
              metadata.data_class = static_cast<DataClass>(fields.get_enum());
              break;
            default:
              fields.skip();
          }
        }
      });
}

Result<void> ForEachValue(std::string_view summary,
                          const std::function<void(const SummaryValue&)>& visit) {
  return ReadMessageInto("Summary", summary, visit, [](pbf_reader fields, const auto& visitor) {
    while (fields.next()) {
      switch (fields.tag_and_type()) {
        case Length(1): {
          SummaryValue value;
          ReadValue(fields.get_message(), value);
          visitor(value);
          break;
        }
        default:
          fields.skip();
      }
    }
  });
}

Result<SummaryValue> ParseSummaryValue(std::string_view bytes) {
  return ReadMessage<SummaryValue>("Summary.Value", bytes, ReadValue);
}

Result<ParsedHistogram> ParseHistogram(std::string_view bytes) {
  CBOARD_ASSIGN_OR_RETURN(
      ParsedHistogram histogram,
      ReadMessage<ParsedHistogram>("HistogramProto", bytes, [](pbf_reader fields, auto& histo) {
        while (fields.next()) {
          switch (fields.tag_and_type()) {
            case Fixed64(1):
              histo.min = fields.get_double();
              break;
            case Fixed64(2):
              histo.max = fields.get_double();
              break;
            case Fixed64(3):
              histo.num = fields.get_double();
              break;
            case Fixed64(4):
              histo.sum = fields.get_double();
              break;
            case Fixed64(5):
              histo.sum_squares = fields.get_double();
              break;
            case Fixed64(6):
            case Length(6):
              AppendFixed(fields, histo.bucket_limits);
              break;
            case Fixed64(7):
            case Length(7):
              AppendFixed(fields, histo.bucket_counts);
              break;
            default:
              fields.skip();
          }
        }
      }));
  if (histogram.bucket_limits.size() != histogram.bucket_counts.size()) {
    return Fail(ErrorCode::kDataLoss,
                "the logged histogram is damaged: it has " +
                    std::to_string(histogram.bucket_limits.size()) + " bucket limits but " +
                    std::to_string(histogram.bucket_counts.size()) + " bucket counts");
  }
  return histogram;
}

Result<Image> ParseImage(std::string_view bytes) {
  return ReadMessage<Image>("Summary.Image", bytes, [](pbf_reader fields, Image& image) {
    while (fields.next()) {
      switch (fields.tag_and_type()) {
        case Varint(1):
          image.height = fields.get_int32();
          break;
        case Varint(2):
          image.width = fields.get_int32();
          break;
        case Varint(3):
          image.colorspace = fields.get_int32();
          break;
        case Length(4):
          image.encoded = ViewOf(fields);
          break;
        default:
          fields.skip();
      }
    }
  });
}

Result<Audio> ParseAudio(std::string_view bytes) {
  return ReadMessage<Audio>("Summary.Audio", bytes, [](pbf_reader fields, Audio& audio) {
    while (fields.next()) {
      switch (fields.tag_and_type()) {
        case Fixed32(1):
          audio.sample_rate = fields.get_float();
          break;
        case Varint(2):
          audio.num_channels = fields.get_int64();
          break;
        case Varint(3):
          audio.length_frames = fields.get_int64();
          break;
        case Length(4):
          audio.encoded = ViewOf(fields);
          break;
        case Length(5):
          audio.content_type = ViewOf(fields);
          break;
        default:
          fields.skip();
      }
    }
  });
}

}  // namespace cboard::proto
