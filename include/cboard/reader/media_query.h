// Reads images, audio, texts and tensors in all formats in which they are logged. Nothing is
// decoded: media files are sent to the browser as they are stored.
//
//   CBOARD_ASSIGN_OR_RETURN(const auto image, ReadImage(run, tag, tag.size() - 1));
//   Send(MimeTypeOf(image.value.samples[0].type), image.value.samples[0].bytes);
//
// Parsers take a serialized Summary.Value; their views point into it. They fail with kDataLoss if
// it contains another kind of value.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/proto/tensor.h"
#include "cboard/reader/snapshot.h"

namespace cboard::reader {

enum class MediaType { kUnknown, kPng, kGif, kJpeg, kWebp, kBmp, kWav };

// Detects the media type of a file from its first bytes.
MediaType SniffMediaType(std::string_view bytes);

// Returns "image/png" or another MIME type; "application/octet-stream" if the type is unknown, so
// that browsers do not guess.
std::string_view MimeTypeOf(MediaType type);

struct PixelSize {
  std::int64_t width = 0;
  std::int64_t height = 0;

  friend bool operator==(const PixelSize&, const PixelSize&) = default;
};

// Returns the size in the header of an image file; nullopt if it cannot be read.
std::optional<PixelSize> SniffPixelSize(std::string_view bytes);

struct MediaSample {
  std::string_view bytes;
  MediaType type = MediaType::kUnknown;
};

struct ImageValue {
  PixelSize size;  // Size in the log; if that is missing, from the first sample's header.
  std::vector<MediaSample> samples;
};

// Parses an image value of older writers, or a string tensor [width, height, file, file, …].
Result<ImageValue> ParseImageValue(std::string_view value);

struct AudioValue {
  std::vector<MediaSample> samples;
  std::vector<std::string_view> labels;  // One per sample, or empty.
  double sample_rate = 0;                // Only from older writers; 0 if unknown.
  std::int64_t channels = 0;             // Only from older writers; 0 if unknown.
  std::int64_t frames = 0;               // Only from older writers; 0 if unknown.
  std::string_view content_type;         // Only from older writers; empty if unknown.
};

// Parses an audio value of older writers, or a string tensor of shape [k] or, with labels, [k, 2].
Result<AudioValue> ParseAudioValue(std::string_view value);

// A tensor of texts of any rank, in row-major order. Texts may contain bytes that are not UTF-8.
struct TextValue {
  proto::Shape shape;
  std::vector<std::string_view> texts;
};
Result<TextValue> ParseTextValue(std::string_view value);

struct TensorValue {
  proto::DataType dtype = proto::DataType::kInvalid;
  proto::Shape shape;
  std::vector<double> numbers;            // Row-major; only for numeric tensors.
  std::vector<std::string_view> strings;  // Elements of a string tensor.
};

inline constexpr std::size_t kMaxTensorElements = std::size_t{1} << 24;

// Parses a tensor value. Fails with kResourceExhausted beyond `max_elements`, and with
// kInvalidArgument for types that are neither numbers nor strings.
Result<TensorValue> ParseTensorValue(std::string_view value,
                                     std::size_t max_elements = kMaxTensorElements);

// A value that was read from a file, together with the bytes that its views point into.
template <typename Value>
struct Loaded {
  std::int64_t step = 0;
  double wall_time_seconds = 0;
  std::shared_ptr<const std::string> bytes;
  Value value;
};

// These functions read the value of `tag` with this index. They fail like ReadBlob and the parsers.
Result<Loaded<ImageValue>> ReadImage(const Run& run, const Tag& tag, std::size_t index);
Result<Loaded<AudioValue>> ReadAudio(const Run& run, const Tag& tag, std::size_t index);
Result<Loaded<TextValue>> ReadText(const Run& run, const Tag& tag, std::size_t index);
Result<Loaded<TensorValue>> ReadTensor(const Run& run, const Tag& tag, std::size_t index,
                                       std::size_t max_elements = kMaxTensorElements);

// Reads several texts at once, in the given order.
Result<std::vector<Loaded<TextValue>>> ReadTexts(const Run& run, const Tag& tag,
                                                 const std::vector<std::size_t>& indices);

}  // namespace cboard::reader
