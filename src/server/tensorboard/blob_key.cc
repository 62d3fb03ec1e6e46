#include "server/tensorboard/blob_key.h"

#include <array>
#include <charconv>
#include <optional>

#include "cboard/base/strings.h"

namespace cboard::tensorboard {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::string ToBase64Url(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() * 4 + 2) / 3);
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : bytes) {
    bits = bits << 8 | static_cast<unsigned char>(c);
    for (count += 8; count >= 6; count -= 6) text += kAlphabet[bits >> (count - 6) & 63];
  }
  if (count > 0) text += kAlphabet[bits << (6 - count) & 63];
  return text;
}

std::optional<std::string> FromBase64Url(std::string_view text) {
  static constexpr auto kValues = [] {
    std::array<signed char, 256> values{};
    values.fill(-1);
    for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
      values[static_cast<unsigned char>(kAlphabet[i])] = static_cast<signed char>(i);
    }
    return values;
  }();
  std::string bytes;
  bytes.reserve(text.size() * 3 / 4);
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const int value = kValues[static_cast<unsigned char>(c)];
    if (value < 0) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes += static_cast<char>(bits >> count & 255);
    }
  }
  return bytes;
}

// Takes "123." off the front of `text`.
template <typename Integer>
bool TakeNumber(std::string_view& text, Integer& number) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto length = static_cast<std::size_t>(end - text.data());
  if (problem != std::errc() || length == text.size() || *end != '.') return false;
  text.remove_prefix(length + 1);
  return true;
}

}  // namespace

std::string EncodeBlobKey(const BlobKey& key) {
  return ToBase64Url(std::to_string(key.index) + "." + std::to_string(key.sample) + "." +
                     std::to_string(key.step) + "." + std::to_string(key.run.size()) + "." +
                     key.run + key.tag);
}

Result<BlobKey> DecodeBlobKey(std::string_view text) {
  const auto wrong = [&] {
    return Fail(ErrorCode::kInvalidArgument,
                Quoted(text) + " is no blob key; take one from an answer of this server");
  };
  if (text.size() > kMaxBlobKeyBytes) return wrong();
  const std::optional<std::string> decoded = FromBase64Url(text);
  if (!decoded) return wrong();
  std::string_view rest = *decoded;
  BlobKey key;
  std::size_t run_bytes = 0;
  if (!TakeNumber(rest, key.index) || !TakeNumber(rest, key.sample) ||
      !TakeNumber(rest, key.step) || !TakeNumber(rest, run_bytes) || run_bytes > rest.size()) {
    return wrong();
  }
  key.run = rest.substr(0, run_bytes);
  key.tag = rest.substr(run_bytes);
  return key;
}

}  // namespace cboard::tensorboard
