// TensorBoard's Summary message: one or more tagged values.
//
// A Summary is built by appending values to a string:
//
//   std::string summary;
//   AppendScalarValue("loss", 0.25f, {}, summary);
//   std::string event = EncodeEvent({.kind = EventKind::kSummary, .payload = summary, …});
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/result.h"

namespace cboard::proto {

enum class DataClass : int { kUnknown = 0, kScalar = 1, kTensor = 2, kBlobSequence = 3 };

// Metadata of a value, as a view. If all members are empty, the value has no metadata.
struct SummaryMetadata {
  std::string_view plugin_name;
  std::string_view plugin_content;
  std::string_view display_name;
  std::string_view description;
  DataClass data_class = DataClass::kUnknown;

  bool empty() const {
    return plugin_name.empty() && plugin_content.empty() && display_name.empty() &&
           description.empty() && data_class == DataClass::kUnknown;
  }
};

// A histogram. Bucket i counts values in (bucket_limits[i-1], bucket_limits[i]].
struct Histogram {
  double min = 0;
  double max = 0;
  double num = 0;
  double sum = 0;
  double sum_squares = 0;
  std::span<const double> bucket_limits;
  std::span<const double> bucket_counts;
};

struct Image {
  std::int32_t height = 0;
  std::int32_t width = 0;
  std::int32_t colorspace = 0;  // 1 gray, 2 gray and alpha, 3 RGB, 4 RGBA.
  std::string_view encoded;     // A PNG or GIF file.
};

struct Audio {
  float sample_rate = 0;
  std::int64_t num_channels = 0;
  std::int64_t length_frames = 0;
  std::string_view encoded;  // A WAV file.
  std::string_view content_type;
};

// Each of these functions appends one Summary.Value to `summary`. The metadata is written last;
// empty metadata is omitted.
void AppendScalarValue(std::string_view tag, float value, const SummaryMetadata& metadata,
                       std::string& summary);
void AppendHistogramValue(std::string_view tag, const Histogram& histogram,
                          const SummaryMetadata& metadata, std::string& summary);
void AppendImageValue(std::string_view tag, const Image& image, const SummaryMetadata& metadata,
                      std::string& summary);
void AppendAudioValue(std::string_view tag, const Audio& audio, const SummaryMetadata& metadata,
                      std::string& summary);
// Appends a tensor value. `tensor` is a serialized TensorProto (see tensor.h).
void AppendTensorValue(std::string_view tag, std::string_view tensor,
                       const SummaryMetadata& metadata, std::string& summary);
// Appends a value without data, only with metadata; hyperparameters are stored this way.
void AppendMetadataValue(std::string_view tag, const SummaryMetadata& metadata,
                         std::string& summary);

std::string EncodeSummaryMetadata(const SummaryMetadata& metadata);
Result<SummaryMetadata> ParseSummaryMetadata(std::string_view bytes);

// The kind of a value, which is the member of Summary.Value's oneof that is set. The values are the
// field numbers of the members.
enum class ValueKind : int {
  kNone = 0,
  kSimpleValue = 2,
  kObsoleteHistogram = 3,
  kImage = 4,
  kHistogram = 5,
  kAudio = 6,
  kTensor = 8,
};

struct SummaryValue {
  std::string_view tag;
  ValueKind kind = ValueKind::kNone;
  float simple_value = 0;
  std::string_view payload;   // The serialized member, for all kinds but kSimpleValue.
  std::string_view metadata;  // A serialized SummaryMetadata, empty if absent.
};

// Calls `visit` for each value in order; the views in a value point into `summary`. If the message
// is damaged, visits the values before the damage and then fails with kDataLoss.
Result<void> ForEachValue(std::string_view summary,
                          const std::function<void(const SummaryValue&)>& visit);

// Parses one Summary.Value from the bytes of its message. The views in the result point into these
// bytes.
Result<SummaryValue> ParseSummaryValue(std::string_view bytes);

// A parsed histogram. It owns its buckets. Parsing fails with kDataLoss if the message is damaged,
// or if the numbers of limits and counts differ.
struct ParsedHistogram {
  double min = 0, max = 0, num = 0, sum = 0, sum_squares = 0;
  std::vector<double> bucket_limits;
  std::vector<double> bucket_counts;
};
Result<ParsedHistogram> ParseHistogram(std::string_view bytes);
Result<Image> ParseImage(std::string_view bytes);
Result<Audio> ParseAudio(std::string_view bytes);

}  // namespace cboard::proto
