// SHA-256 and HMAC-SHA-256 (FIPS 180-4, RFC 2104). They are implemented here, so that programs that
// only write logs do not need OpenSSL.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace cboard::object_store {

using Sha256Digest = std::array<std::uint8_t, 32>;

Sha256Digest Sha256(std::string_view bytes);

Sha256Digest HmacSha256(std::string_view key, std::string_view text);

// Returns a view of the bytes of a digest. A digest may be the key of the next signature.
inline std::string_view ViewOf(const Sha256Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

}  // namespace cboard::object_store
