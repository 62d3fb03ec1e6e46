// Writes Summary.Value; summary_reader.cc reads it.
#include "cboard/proto/summary.h"

#include "proto/wire_writer.h"

namespace cboard::proto {
namespace {

template <typename Fields>
void DescribeMetadata(Fields& fields, const SummaryMetadata& metadata) {
  if (!metadata.plugin_name.empty() || !metadata.plugin_content.empty()) {
    fields.Message(1, [&](auto& plugin_data) {
      plugin_data.Text(1, metadata.plugin_name);
      plugin_data.Bytes(2, metadata.plugin_content);
    });
  }
  fields.Text(2, metadata.display_name);
  fields.Text(3, metadata.description);
  fields.Int(4, static_cast<int>(metadata.data_class));
}

// Appends one Summary.Value; `describe_member` writes the member of the value's oneof.
template <typename DescribeMember>
void AppendValue(std::string_view tag, const SummaryMetadata& metadata, std::string& summary,
                 const DescribeMember& describe_member) {
  AppendMessage(summary, [&](auto& fields) {
    fields.Message(1, [&](auto& value) {
      value.Text(1, tag);
      describe_member(value);
      if (!metadata.empty()) {
        value.Message(9, [&](auto& nested) { DescribeMetadata(nested, metadata); });
      }
    });
  });
}

}  // namespace

void AppendScalarValue(std::string_view tag, float value, const SummaryMetadata& metadata,
                       std::string& summary) {
  AppendValue(tag, metadata, summary, [&](auto& fields) { fields.PresentFloat(2, value); });
}

void AppendHistogramValue(std::string_view tag, const Histogram& histogram,
                          const SummaryMetadata& metadata, std::string& summary) {
  AppendValue(tag, metadata, summary, [&](auto& fields) {
    fields.Message(5, [&](auto& histo) {
      histo.Double(1, histogram.min);
      histo.Double(2, histogram.max);
      histo.Double(3, histogram.num);
      histo.Double(4, histogram.sum);
      histo.Double(5, histogram.sum_squares);
      histo.PackedDoubles(6, histogram.bucket_limits);
      histo.PackedDoubles(7, histogram.bucket_counts);
    });
  });
}

void AppendImageValue(std::string_view tag, const Image& image, const SummaryMetadata& metadata,
                      std::string& summary) {
  AppendValue(tag, metadata, summary, [&](auto& fields) {
    fields.Message(4, [&](auto& member) {
      member.Int(1, image.height);
      member.Int(2, image.width);
      member.Int(3, image.colorspace);
      member.Bytes(4, image.encoded);
    });
  });
}

void AppendAudioValue(std::string_view tag, const Audio& audio, const SummaryMetadata& metadata,
                      std::string& summary) {
  AppendValue(tag, metadata, summary, [&](auto& fields) {
    fields.Message(6, [&](auto& member) {
      member.Float(1, audio.sample_rate);
      member.Int(2, audio.num_channels);
      member.Int(3, audio.length_frames);
      member.Bytes(4, audio.encoded);
      member.Text(5, audio.content_type);
    });
  });
}

void AppendTensorValue(std::string_view tag, std::string_view tensor,
                       const SummaryMetadata& metadata, std::string& summary) {
  AppendValue(tag, metadata, summary, [&](auto& fields) { fields.PresentBytes(8, tensor); });
}

void AppendMetadataValue(std::string_view tag, const SummaryMetadata& metadata,
                         std::string& summary) {
  AppendValue(tag, metadata, summary, [](auto&) {});
}

std::string EncodeSummaryMetadata(const SummaryMetadata& metadata) {
  return EncodeMessage([&](auto& fields) { DescribeMetadata(fields, metadata); });
}

}  // namespace cboard::proto
