#include "cli/exports/export_value.h"

#include <algorithm>
#include <array>
#include <string>

#include "cboard/base/strings.h"
#include "cboard/proto/plugins.h"
#include "cboard/proto/summary.h"
#include "cboard/proto/tensor.h"

namespace cboard::cli {
namespace {

std::string Base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    unsigned bits = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      bits = bits << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      text += k <= count ? kDigits[bits >> (18 - 6 * k) & 63] : '=';
    }
  }
  return text;
}

// Appends members that describe bytes to an open object.
void AppendBytes(std::string_view bytes, bool media, JsonWriter& json) {
  json.Key("size_bytes").Value(bytes.size());
  if (media) json.Key("base64").Value(Base64(bytes));
}

template <typename Numbers>
void AppendNumbers(std::string_view key, const Numbers& numbers, JsonWriter& json) {
  json.Key(key).BeginArray();
  for (const auto number : numbers) json.Value(number);
  json.EndArray();
}

// The following functions append members to an open object.
Result<void> AppendHistogram(std::string_view bytes, JsonWriter& json) {
  CBOARD_ASSIGN_OR_RETURN(const proto::ParsedHistogram histogram, proto::ParseHistogram(bytes));
  json.Key("min").Value(histogram.min);
  json.Key("max").Value(histogram.max);
  json.Key("num").Value(histogram.num);
  json.Key("sum").Value(histogram.sum);
  json.Key("sum_squares").Value(histogram.sum_squares);
  AppendNumbers("bucket_limits", histogram.bucket_limits, json);
  AppendNumbers("bucket_counts", histogram.bucket_counts, json);
  return {};
}

Result<void> AppendImage(std::string_view bytes, bool media, JsonWriter& json) {
  CBOARD_ASSIGN_OR_RETURN(const proto::Image image, proto::ParseImage(bytes));
  json.Key("width").Value(image.width);
  json.Key("height").Value(image.height);
  json.Key("colorspace").Value(image.colorspace);
  AppendBytes(image.encoded, media, json);
  return {};
}

Result<void> AppendAudio(std::string_view bytes, bool media, JsonWriter& json) {
  CBOARD_ASSIGN_OR_RETURN(const proto::Audio audio, proto::ParseAudio(bytes));
  json.Key("sample_rate").Value(audio.sample_rate);
  json.Key("num_channels").Value(audio.num_channels);
  json.Key("length_frames").Value(audio.length_frames);
  json.Key("content_type").Value(audio.content_type);
  AppendBytes(audio.encoded, media, json);
  return {};
}

Result<void> AppendTensor(std::string_view bytes, bool media, JsonWriter& json) {
  CBOARD_ASSIGN_OR_RETURN(const proto::Tensor tensor, proto::ParseTensor(bytes));
  // Reads the tensor before writing, so that only an error is written if the tensor cannot be read.
  std::vector<double> numbers;
  std::vector<std::string_view> strings;
  if (tensor.dtype == proto::DataType::kString) {
    CBOARD_ASSIGN_OR_RETURN(strings, proto::ReadStrings(tensor));
  } else {
    CBOARD_ASSIGN_OR_RETURN(numbers, proto::ReadNumbers(tensor));
  }
  json.Key("dtype").Value(proto::NameOf(tensor.dtype));
  AppendNumbers("shape", tensor.shape, json);
  if (tensor.dtype != proto::DataType::kString) {
    AppendNumbers("values", numbers, json);
    return {};
  }
  json.Key("values").BeginArray();
  for (const std::string_view text : strings) {
    if (IsValidUtf8(text)) {
      json.Value(text);
    } else {
      json.BeginObject();
      AppendBytes(text, media, json);
      json.EndObject();
    }
  }
  json.EndArray();
  return {};
}

Result<void> AppendMember(const proto::SummaryValue& value, bool media, JsonWriter& json) {
  switch (value.kind) {
    case proto::ValueKind::kHistogram:
      return AppendHistogram(value.payload, json);
    case proto::ValueKind::kImage:
      return AppendImage(value.payload, media, json);
    case proto::ValueKind::kAudio:
      return AppendAudio(value.payload, media, json);
    case proto::ValueKind::kTensor:
      return AppendTensor(value.payload, media, json);
    default:
      return Fail(ErrorCode::kDataLoss, "an event of this tag contains no value");
  }
}

void AppendSummaryValue(std::string_view bytes, bool media, JsonWriter& json) {
  // Builds a Summary message for ForEachValue: its field 1 is a value.
  std::string summary = "\x0a";
  for (std::size_t rest = bytes.size();; rest >>= 7) {
    summary += static_cast<char>(rest < 0x80 ? rest : (rest & 0x7f) | 0x80);
    if (rest < 0x80) break;
  }
  summary += bytes;
  bool is_written = false;
  const Result<void> parsed = proto::ForEachValue(summary, [&](const proto::SummaryValue& value) {
    if (std::exchange(is_written, true)) return;
    if (value.kind == proto::ValueKind::kNone) {
      json.Null();
      return;
    }
    json.BeginObject();
    if (const Result<void> result = AppendMember(value, media, json); !result) {
      json.Key("error").Value(result.error().message);
    }
    json.EndObject();
  });
  if (is_written) return;
  json.BeginObject();
  json.Key("error").Value(parsed ? "an event of this tag contains no value"
                                 : parsed.error().message);
  json.EndObject();
}

void AppendHParamValue(const proto::HParamValue& value, JsonWriter& json) {
  std::visit([&](const auto& plain) { json.Value(plain); }, value);
}

void AppendContent(std::monostate, JsonWriter&) {}

void AppendContent(const proto::HParamsExperiment& experiment, JsonWriter& json) {
  json.Key("type").Value("experiment");
  json.Key("name").Value(experiment.name);
  json.Key("description").Value(experiment.description);
  json.Key("hparams").BeginArray();
  for (const proto::HParamInfo& info : experiment.hparams) {
    json.BeginObject();
    json.Key("name").Value(info.name);
    json.Key("display_name").Value(info.display_name);
    json.Key("description").Value(info.description);
    json.Key("domain").BeginArray();
    for (const proto::HParamValue& value : info.domain_discrete) AppendHParamValue(value, json);
    json.EndArray();
    json.EndObject();
  }
  json.EndArray();
  json.Key("metrics").BeginArray();
  for (const proto::MetricInfo& metric : experiment.metrics) {
    json.BeginObject();
    json.Key("group").Value(metric.group);
    json.Key("tag").Value(metric.tag);
    json.Key("display_name").Value(metric.display_name);
    json.EndObject();
  }
  json.EndArray();
}

void AppendContent(const proto::HParamsSessionStart& start, JsonWriter& json) {
  json.Key("type").Value("session_start");
  json.Key("group_name").Value(start.group_name);
  json.Key("start_time_seconds").Value(start.start_time_seconds);
  json.Key("hparams").BeginObject();
  for (const auto& [name, value] : start.hparams) AppendHParamValue(value, json.Key(name));
  json.EndObject();
}

void AppendContent(const proto::HParamsSessionEnd& end, JsonWriter& json) {
  constexpr std::array<std::string_view, 4> kNames = {"unknown", "success", "failure", "running"};
  const auto status = static_cast<std::size_t>(end.status);
  json.Key("type").Value("session_end");
  json.Key("status").Value(kNames[status < kNames.size() ? status : 0]);
  json.Key("end_time_seconds").Value(end.end_time_seconds);
}

}  // namespace

void AppendValue(reader::TagKind kind, std::string_view bytes, bool media, JsonWriter& json) {
  if (kind == reader::TagKind::kGraph || kind == reader::TagKind::kRunMetadata) {
    json.BeginObject();
    AppendBytes(bytes, media, json);
    json.EndObject();
  } else {
    AppendSummaryValue(bytes, media, json);
  }
}

void AppendHParams(std::string_view plugin_content, JsonWriter& json) {
  const Result<proto::HParamsPluginData> data = proto::ParseHParamsPluginData(plugin_content);
  if (data && std::holds_alternative<std::monostate>(*data)) {
    json.Null();
    return;
  }
  json.BeginObject();
  if (data) {
    std::visit([&](const auto& content) { AppendContent(content, json); }, *data);
  } else {
    json.Key("error").Value(data.error().message);
  }
  json.EndObject();
}

}  // namespace cboard::cli
