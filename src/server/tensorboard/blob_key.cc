#include "server/tensorboard/blob_key.h"

#include <charconv>
#include <optional>

#include "base/base64_url.h"
#include "cboard/base/strings.h"

namespace cboard::server::tensorboard {
namespace {

// Removes a number with a dot, such as "123.", from the beginning of `text`.
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
                Quoted(text) + " is not a blob key; use a key from a response of this server");
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

}  // namespace cboard::server::tensorboard
