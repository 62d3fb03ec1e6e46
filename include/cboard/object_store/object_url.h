// Addresses of objects: "s3://bucket/prefix" and "gs://bucket/prefix".
#pragma once

#include <string>
#include <string_view>

#include "cboard/base/result.h"

namespace cboard::object_store {

struct ObjectUrl {
  std::string scheme;  // "s3" or "gs"
  std::string bucket;
  std::string prefix;  // Without slashes at the ends; empty for the whole bucket.

  std::string text() const;  // "s3://bucket/prefix"

  friend bool operator==(const ObjectUrl&, const ObjectUrl&) = default;
};

// Whether `text` begins with "s3://" or "gs://".
bool IsObjectUrl(std::string_view text);

// Fails with kInvalidArgument when there is no bucket, or its name cannot be one.
Result<ObjectUrl> ParseObjectUrl(std::string_view text);

}  // namespace cboard::object_store
