// Images and sounds as steps with keys, and the bytes behind a key.
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

// The steps of an image or audio tag that have sample number `sample`, at most `limit` of them.
Result<std::vector<MediaStep>> MediaSteps(const reader::Run& run, const reader::Tag& tag,
                                          std::size_t sample, std::size_t limit);

// The most samples that any of the steps shown has.
std::size_t MaxSamples(const reader::Run& run, const reader::Tag& tag, std::size_t limit);

// The image or sound that a key names. Fails with kInvalidArgument when it is no key, kNotFound
// when nothing has this key (any more).
struct MediaBytes {
  std::string bytes;
  reader::MediaType type = reader::MediaType::kUnknown;
};
Result<MediaBytes> ReadMedia(const reader::Snapshot& snapshot, std::string_view key,
                             reader::TagKind kind);

// The image behind a key, as the answer to a request.
Result<HttpResponse> ImageResponse(const DataCall& call, const std::string& key);

inline constexpr std::size_t kMediaSteps = 10;
inline constexpr std::size_t kMaxSamples = 1'000'000;

}  // namespace cboard::server::tensorboard
