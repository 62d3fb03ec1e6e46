// The small grammar that header values share.
#pragma once

#include <string>
#include <string_view>

namespace cboard::server {

// ASCII only, as header names are.
bool EqualIgnoringCase(std::string_view a, std::string_view b);
std::string LowerCase(std::string_view text);

// Removes blanks and tabs at both ends.
std::string_view Trimmed(std::string_view text);

// Returns `text` up to `separator`, trimmed, and removes it with the separator from `text`.
std::string_view TakeUntil(std::string_view& text, char separator);

}  // namespace cboard::server
