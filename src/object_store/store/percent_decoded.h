// Percent-encoded text, as listings have keys.
#pragma once

#include <string>
#include <string_view>

namespace cboard::object_store {

// "a%20b+c" -> "a b c". Listings with encoding-type=url write keys as forms do.
std::string PercentDecoded(std::string_view text);

}  // namespace cboard::object_store
