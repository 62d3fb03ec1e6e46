// Images, sounds, texts and tensors, whichever way they were logged. Nothing is decoded: what a
// browser can show reaches it as it lies in the file.
//
//   CBOARD_ASSIGN_OR_RETURN(const auto image, ReadImage(run, tag, tag.size() - 1));
//   Send(MimeTypeOf(image.value.samples[0].type), image.value.samples[0].bytes);
//
// Parsers take a serialized Summary.Value; their views point into it. They fail with kDataLoss when
// it holds something else.
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

// By the first bytes.
MediaType SniffMediaType(std::string_view bytes);

// "image/png"; "application/octet-stream" for what is not known, so that no browser guesses.
std::string_view MimeTypeOf(MediaType type);

struct PixelSize {
  std::int64_t width = 0;
  std::int64_t height = 0;

  friend bool operator==(const PixelSize&, const PixelSize&) = default;
};

// The size in the header of an image file; nothing when it has none that can be read.
std::optional<PixelSize> SniffPixelSize(std::string_view bytes);

struct MediaSample {
  std::string_view bytes;
  MediaType type = MediaType::kUnknown;
};

struct ImageValue {
  PixelSize size;  // As logged; from the first sample's header if that is missing.
  std::vector<MediaSample> samples;
};

// An image of older writers, or a string tensor [width, height, file, file, …].
Result<ImageValue> ParseImageValue(std::string_view value);

struct AudioValue {
  std::vector<MediaSample> samples;
  std::vector<std::string_view> labels;  // One per sample, or none at all.
  double sample_rate = 0;                // Written by older writers; 0 if not known.
  std::int64_t channels = 0;             // Likewise.
  std::int64_t frames = 0;               // Likewise.
  std::string_view content_type;         // Likewise.
};

// A sound of older writers, or a string tensor of shape [k] or, with labels, [k, 2].
Result<AudioValue> ParseAudioValue(std::string_view value);

// Texts in a grid of any rank, row by row. May hold bytes that are not UTF-8.
struct TextValue {
  proto::Shape shape;
  std::vector<std::string_view> texts;
};
Result<TextValue> ParseTextValue(std::string_view value);

struct TensorValue {
  proto::DataType dtype = proto::DataType::kInvalid;
  proto::Shape shape;
  std::vector<double> numbers;            // Row by row; of numeric tensors.
  std::vector<std::string_view> strings;  // Elements of a string tensor.
};

inline constexpr std::size_t kMaxTensorElements = std::size_t{1} << 24;

// Fails with kResourceExhausted beyond `max_elements`, and kInvalidArgument for types that are
// neither numbers nor strings.
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

// The value of `tag` with this index. Fail as ReadBlob and the parsers do.
Result<Loaded<ImageValue>> ReadImage(const Run& run, const Tag& tag, std::size_t index);
Result<Loaded<AudioValue>> ReadAudio(const Run& run, const Tag& tag, std::size_t index);
Result<Loaded<TextValue>> ReadText(const Run& run, const Tag& tag, std::size_t index);
Result<Loaded<TensorValue>> ReadTensor(const Run& run, const Tag& tag, std::size_t index,
                                       std::size_t max_elements = kMaxTensorElements);

// Several texts at once, in the order given.
Result<std::vector<Loaded<TextValue>>> ReadTexts(const Run& run, const Tag& tag,
                                                 const std::vector<std::size_t>& indices);

}  // namespace cboard::reader
