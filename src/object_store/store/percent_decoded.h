// Decodes percent-encoded text, such as the keys in listings.
#pragma once

#include <string>
#include <string_view>

namespace cboard::object_store {

// Decodes "a%20b+c" to "a b c". Listings with encoding-type=url encode keys like HTML forms.
std::string PercentDecoded(std::string_view text);

}  // namespace cboard::object_store
