// Addresses of objects: "s3://bucket/prefix" and "gs://bucket/prefix".
#pragma once

#include <string>
#include <string_view>

#include "cboard/base/result.h"

namespace cboard::object_store {

struct ObjectUrl {
  std::string scheme;  // "s3" or "gs"
  std::string bucket;
  std::string prefix;  // Without slashes at both ends; empty for the whole bucket.

  std::string text() const;  // "s3://bucket/prefix"

  friend bool operator==(const ObjectUrl&, const ObjectUrl&) = default;
};

// True if `text` begins with "s3://" or "gs://".
bool IsObjectUrl(std::string_view text);

// Parses the address of an object. Fails with kInvalidArgument if the bucket is missing or its name
// is invalid.
Result<ObjectUrl> ParseObjectUrl(std::string_view text);

}  // namespace cboard::object_store
