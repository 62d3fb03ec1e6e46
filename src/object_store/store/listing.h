// Parses the XML of an object store's responses.
#pragma once

#include <string>
#include <string_view>

#include "cboard/base/result.h"
#include "cboard/object_store/object_store.h"

namespace cboard::object_store {

// Parses a page of a ListObjectsV2 response. Fails with kDataLoss if the text is something else.
Result<ObjectPage> ParseListing(std::string_view xml);

struct StoreError {
  std::string code;     // "NoSuchBucket"; empty if the body is not a store's error.
  std::string message;  // The store's own message.
};
StoreError ParseStoreError(std::string_view xml);

}  // namespace cboard::object_store
