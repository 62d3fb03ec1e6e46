// Reads images, audio, texts and tensors, in all formats in which they are logged. Media files are
// not decoded: the browser gets them as they are stored.
//
//   CBOARD_ASSIGN_OR_RETURN(const auto image, ReadImage(run, tag, tag.size() - 1));
//   Send(MimeTypeOf(image.value.samples[0].type), image.value.samples[0].bytes);
//
// A parser takes a serialized Summary.Value, and the views in its result point into this value. It
// fails with kDataLoss if the value is of another kind.
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

// Returns a MIME type, such as "image/png". An unknown type is "application/octet-stream", so that
// browsers do not guess.
std::string_view MimeTypeOf(MediaType type);

struct PixelSize {
  std::int64_t width = 0;
  std::int64_t height = 0;

  friend bool operator==(const PixelSize&, const PixelSize&) = default;
};

// Returns the size that the header of an image file contains, or nullopt if the header cannot be
// read.
std::optional<PixelSize> SniffPixelSize(std::string_view bytes);

struct MediaSample {
  std::string_view bytes;
  MediaType type = MediaType::kUnknown;
};

struct ImageValue {
  PixelSize size;  // Size in the log; if that is missing, from the first sample's header.
  std::vector<MediaSample> samples;
};

// Parses an image: an image value of older writers, or a string tensor [width, height, file, file,
// …].
Result<ImageValue> ParseImageValue(std::string_view value);

struct AudioValue {
  std::vector<MediaSample> samples;
  std::vector<std::string_view> labels;  // One per sample, or empty.
  double sample_rate = 0;                // Only from older writers; 0 if unknown.
  std::int64_t channels = 0;             // Only from older writers; 0 if unknown.
  std::int64_t frames = 0;               // Only from older writers; 0 if unknown.
  std::string_view content_type;         // Only from older writers; empty if unknown.
};

// Parses audio: an audio value of older writers, or a string tensor. The tensor has shape [k] or,
// with labels, [k, 2].
Result<AudioValue> ParseAudioValue(std::string_view value);

// A tensor of texts. It may have any rank; texts are in row-major order. They may contain bytes
// that are not UTF-8.
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

// Parses a tensor value. Fails with kResourceExhausted if there are more than `max_elements`, and
// with kInvalidArgument if the elements are neither numbers nor strings.
Result<TensorValue> ParseTensorValue(std::string_view value,
                                     std::size_t max_elements = kMaxTensorElements);

// A value that was read from a file. It owns the bytes that the views in the value point into.
template <typename Value>
struct Loaded {
  std::int64_t step = 0;
  double wall_time_seconds = 0;
  std::shared_ptr<const std::string> bytes;
  Value value;
};

// These functions read the value of `tag` at `index`. They fail like ReadBlob, and like the parser
// for this kind of value.
Result<Loaded<ImageValue>> ReadImage(const Run& run, const Tag& tag, std::size_t index);
Result<Loaded<AudioValue>> ReadAudio(const Run& run, const Tag& tag, std::size_t index);
Result<Loaded<TextValue>> ReadText(const Run& run, const Tag& tag, std::size_t index);
Result<Loaded<TensorValue>> ReadTensor(const Run& run, const Tag& tag, std::size_t index,
                                       std::size_t max_elements = kMaxTensorElements);

// Reads several texts at once, in the given order.
Result<std::vector<Loaded<TextValue>>> ReadTexts(const Run& run, const Tag& tag,
                                                 const std::vector<std::size_t>& indices);

}  // namespace cboard::reader
