// Names one image or sound in an address, so that the bytes can be asked for later. Opaque to
// clients, made of letters, digits, '-' and '_' only.
//
//   key := base64url of "<index>.<sample>.<step>.<bytes of run>.<run><tag>"
//
// The step is there to notice that the series has changed meanwhile.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cboard/base/result.h"

namespace cboard::server::tensorboard {

struct BlobKey {
  std::size_t index = 0;   // Index of the value in its series.
  std::size_t sample = 0;  // Among those logged together.
  std::int64_t step = 0;
  std::string run;
  std::string tag;

  friend bool operator==(const BlobKey&, const BlobKey&) = default;
};

inline constexpr std::size_t kMaxBlobKeyBytes = 64 << 10;

std::string EncodeBlobKey(const BlobKey& key);

// Fails with kInvalidArgument when `text` is no key.
Result<BlobKey> DecodeBlobKey(std::string_view text);

}  // namespace cboard::server::tensorboard
