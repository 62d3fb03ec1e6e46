#include "cboard/object_store/object_url.h"

#include <algorithm>

#include "cboard/base/strings.h"

namespace cboard::object_store {
namespace {

std::string_view WithoutSlashes(std::string_view text) {
  while (text.starts_with('/')) text.remove_prefix(1);
  while (text.ends_with('/')) text.remove_suffix(1);
  return text;
}

// True for valid bucket names. In S3, a name has 3 to 63 letters, digits, dots and hyphens. Google
// also allows underscores, and old buckets have capital letters.
bool IsBucketName(std::string_view name) {
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
  return name.size() >= 3 && name.size() <= 222 && !name.starts_with('.') &&
         name.find_first_not_of(kAllowed) == std::string_view::npos;
}

}  // namespace

std::string ObjectUrl::text() const {
  return scheme + "://" + bucket + (prefix.empty() ? "" : "/" + prefix);
}

bool IsObjectUrl(std::string_view text) {
  return text.starts_with("s3://") || text.starts_with("gs://");
}

Result<ObjectUrl> ParseObjectUrl(std::string_view text) {
  if (!IsObjectUrl(text)) {
    return Fail(ErrorCode::kInvalidArgument,
                Quoted(text, 300) + " is not the address of a bucket; write s3://bucket/prefix");
  }
  const std::string_view rest = text.substr(5);
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  ObjectUrl url{.scheme = std::string(text.substr(0, 2)),
                .bucket = std::string(rest.substr(0, slash)),
                .prefix = std::string(WithoutSlashes(rest.substr(slash)))};
  if (!IsBucketName(url.bucket)) {
    return Fail(ErrorCode::kInvalidArgument, Quoted(text, 300) +
                                                 " lacks the name of the bucket; write " +
                                                 url.scheme + "://bucket/prefix");
  }
  return url;
}

}  // namespace cboard::object_store
