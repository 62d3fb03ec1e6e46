// Reads images, sounds, texts and tensors in their stored form.
#include <charconv>
#include <string>

#include "cboard/base/strings.h"
#include "cboard/proto/summary.h"
#include "cboard/reader/media_query.h"
#include "reader/query/value_view.h"

namespace cboard::reader {
namespace {

MediaSample SampleOf(std::string_view bytes) { return {bytes, SniffMediaType(bytes)}; }

std::int64_t NumberOr(std::string_view text, std::int64_t otherwise) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : otherwise;
}

std::string ShapeOf(const proto::Tensor& tensor) {
  return tensor.unknown_rank ? "an unknown shape" : "shape " + ShapeText(tensor.shape);
}

}  // namespace

Result<ImageValue> ParseImageValue(std::string_view bytes) {
  CBOARD_ASSIGN_OR_RETURN(const proto::SummaryValue value, ParseValue(bytes));
  ImageValue image;
  if (value.kind == proto::ValueKind::kImage) {
    CBOARD_ASSIGN_OR_RETURN(const proto::Image stored, proto::ParseImage(value.payload));
    image.size = {stored.width, stored.height};
    image.samples.push_back(SampleOf(stored.encoded));
  } else {
    CBOARD_ASSIGN_OR_RETURN(const proto::Tensor tensor, TensorOf(value, "an image"));
    CBOARD_ASSIGN_OR_RETURN(const auto strings, proto::ReadStrings(tensor));
    if (tensor.shape.size() != 1 || strings.size() < 2) {
      return Fail(ErrorCode::kDataLoss,
                  "the logged tensor of an image has " + ShapeOf(tensor) +
                      ", but must be the list [width, height, image file, …]");
    }
    image.size = {NumberOr(strings[0], 0), NumberOr(strings[1], 0)};
    for (std::size_t i = 2; i < strings.size(); ++i) image.samples.push_back(SampleOf(strings[i]));
  }
  if ((image.size.width <= 0 || image.size.height <= 0) && !image.samples.empty()) {
    image.size = SniffPixelSize(image.samples[0].bytes).value_or(PixelSize{});
  }
  return image;
}

Result<AudioValue> ParseAudioValue(std::string_view bytes) {
  CBOARD_ASSIGN_OR_RETURN(const proto::SummaryValue value, ParseValue(bytes));
  AudioValue audio;
  if (value.kind == proto::ValueKind::kAudio) {
    CBOARD_ASSIGN_OR_RETURN(const proto::Audio stored, proto::ParseAudio(value.payload));
    audio.samples.push_back(SampleOf(stored.encoded));
    audio.sample_rate = static_cast<double>(stored.sample_rate);
    audio.channels = stored.num_channels;
    audio.frames = stored.length_frames;
    audio.content_type = stored.content_type;
    return audio;
  }
  CBOARD_ASSIGN_OR_RETURN(const proto::Tensor tensor, TensorOf(value, "a sound"));
  CBOARD_ASSIGN_OR_RETURN(const auto strings, proto::ReadStrings(tensor));
  const bool labelled = tensor.shape.size() == 2 && tensor.shape[1] == 2;
  if (!labelled && tensor.shape.size() != 1) {
    return Fail(ErrorCode::kDataLoss, "the logged tensor of a sound has " + ShapeOf(tensor) +
                                          ", but must have the shape [sounds] or [sounds, 2]");
  }
  for (std::size_t i = 0; i < strings.size(); i += labelled ? 2 : 1) {
    audio.samples.push_back(SampleOf(strings[i]));
    if (labelled) audio.labels.push_back(strings[i + 1]);
  }
  return audio;
}

Result<TextValue> ParseTextValue(std::string_view bytes) {
  CBOARD_ASSIGN_OR_RETURN(const proto::SummaryValue value, ParseValue(bytes));
  CBOARD_ASSIGN_OR_RETURN(proto::Tensor tensor, TensorOf(value, "a text"));
  CBOARD_ASSIGN_OR_RETURN(std::vector<std::string_view> texts, proto::ReadStrings(tensor));
  return TextValue{std::move(tensor.shape), std::move(texts)};
}

Result<TensorValue> ParseTensorValue(std::string_view bytes, std::size_t max_elements) {
  CBOARD_ASSIGN_OR_RETURN(const proto::SummaryValue value, ParseValue(bytes));
  CBOARD_ASSIGN_OR_RETURN(proto::Tensor tensor, TensorOf(value, "a tensor"));
  TensorValue result;
  result.dtype = tensor.dtype;
  if (tensor.dtype == proto::DataType::kString) {
    CBOARD_ASSIGN_OR_RETURN(result.strings, proto::ReadStrings(tensor));
    if (result.strings.size() > max_elements) {
      return Fail(ErrorCode::kResourceExhausted, "the logged tensor has " +
                                                     HumanCount(result.strings.size()) +
                                                     " strings, which are too many to show");
    }
  } else {
    CBOARD_ASSIGN_OR_RETURN(result.numbers, proto::ReadNumbers(tensor, max_elements));
  }
  result.shape = std::move(tensor.shape);
  return result;
}

}  // namespace cboard::reader
