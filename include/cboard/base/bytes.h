// Views of bytes, and functions for little-endian numbers. All file formats of this library are
// little-endian.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

namespace cboard {

using ByteSpan = std::span<const std::byte>;
using MutableByteSpan = std::span<std::byte>;

inline ByteSpan AsBytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

inline std::string_view AsText(ByteSpan bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

static_assert(std::endian::native == std::endian::little,
              "loads and stores below copy memory as it is; a big-endian port swaps them here");

// Reads a value of type T from the first sizeof(T) bytes of `bytes`, which must not be shorter.
template <typename T>
requires std::is_trivially_copyable_v<T> T LoadLittleEndian(ByteSpan bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

// Writes `value` to the first sizeof(T) bytes of `bytes`, which must not be shorter.
template <typename T>
requires std::is_trivially_copyable_v<T>
void StoreLittleEndian(T value, MutableByteSpan bytes) {
  std::memcpy(bytes.data(), &value, sizeof(T));
}

}  // namespace cboard
