// The key of one blob for ReadBlob requests: the same text as from TensorBoard's own data server.
//
//   key := base64url of the JSON ["<experiment>","<run>","<tag>",<step>,<index>]
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cboard/base/result.h"

namespace cboard::data_server {

struct BlobKey {
  std::string experiment;
  std::string run;
  std::string tag;
  std::int64_t step = 0;
  std::uint64_t index = 0;  // The index in the sequence at that step.

  friend bool operator==(const BlobKey&, const BlobKey&) = default;
};

inline constexpr std::size_t kMaxBlobKeyBytes = std::size_t{1} << 16;

std::string EncodeBlobKey(const BlobKey& key);

// Parses a key. Fails with kInvalidArgument.
Result<BlobKey> DecodeBlobKey(std::string_view text);

}  // namespace cboard::data_server
