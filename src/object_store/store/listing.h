// The XML that stores answer with.
#pragma once

#include <string>
#include <string_view>

#include "cboard/base/result.h"
#include "cboard/object_store/object_store.h"

namespace cboard::object_store {

// A page of ListObjectsV2. Fails with kDataLoss when it is not one.
Result<ObjectPage> ParseListing(std::string_view xml);

struct StoreError {
  std::string code;     // "NoSuchBucket"; empty if the body is no error of a store.
  std::string message;  // The words of the store.
};
StoreError ParseStoreError(std::string_view xml);

}  // namespace cboard::object_store
