// A key that identifies one image or audio value in a URL, so that its bytes can be requested
// later. Opaque to clients; contains only letters, digits, '-' and '_'.
//
//   key := base64url of "<index>.<sample>.<step>.<bytes of run>.<run><tag>"
//
// The step is part of the key, so that a change of the series is detected.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cboard/base/result.h"

namespace cboard::server::tensorboard {

struct BlobKey {
  std::size_t index = 0;   // Index of the value in its series.
  std::size_t sample = 0;  // Index among the samples that were logged together.
  std::int64_t step = 0;
  std::string run;
  std::string tag;

  friend bool operator==(const BlobKey&, const BlobKey&) = default;
};

inline constexpr std::size_t kMaxBlobKeyBytes = 64 << 10;

std::string EncodeBlobKey(const BlobKey& key);

// Parses a key. Fails with kInvalidArgument if `text` is not a key.
Result<BlobKey> DecodeBlobKey(std::string_view text);

}  // namespace cboard::server::tensorboard
