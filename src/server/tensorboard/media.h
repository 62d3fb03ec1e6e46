// Lists images and audio by step with keys, and returns the bytes for a key.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/reader/media_query.h"
#include "server/tensorboard/blob_key.h"
#include "server/tensorboard/tag_listing.h"

namespace cboard::server::tensorboard {

struct MediaStep {
  std::int64_t step = 0;
  double wall_time_seconds = 0;
  std::string key;
};

// Returns the steps of an image or audio tag that have a sample with number `sample`; at most
// `limit` steps.
Result<std::vector<MediaStep>> MediaSteps(const reader::Run& run, const reader::Tag& tag,
                                          std::size_t sample, std::size_t limit);

// Returns the maximum number of samples in any of the listed steps.
std::size_t MaxSamples(const reader::Run& run, const reader::Tag& tag, std::size_t limit);

// The image or audio that a key identifies. Reading fails with kInvalidArgument if the text is not
// a key, and with kNotFound if no value has this key now.
struct MediaBytes {
  std::string bytes;
  reader::MediaType type = reader::MediaType::kUnknown;
};
Result<MediaBytes> ReadMedia(const reader::Snapshot& snapshot, std::string_view key,
                             reader::TagKind kind);

// Responds with the image that a key identifies.
Result<HttpResponse> ImageResponse(const DataCall& call, const std::string& key);

inline constexpr std::size_t kMediaSteps = 10;
inline constexpr std::size_t kMaxSamples = 1'000'000;

}  // namespace cboard::server::tensorboard
