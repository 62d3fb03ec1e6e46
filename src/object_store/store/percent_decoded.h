// Decodes percent-encoded text, such as the keys in listings.
#pragma once

#include <string>
#include <string_view>

namespace cboard::object_store {

// Decodes "a%20b+c" to "a b c". In listings with encoding-type=url, keys are encoded like HTML
// forms.
std::string PercentDecoded(std::string_view text);

}  // namespace cboard::object_store
