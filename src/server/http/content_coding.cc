#include "server/http/content_coding.h"

#include <algorithm>

namespace cboard::server {
namespace {

// Returns true for "0", "0.0", "0.000".
bool IsZero(std::string_view number) {
  return !number.empty() && number.find_first_not_of("0.") == std::string_view::npos;
}

}  // namespace

bool AcceptsGzip(std::string_view accept_encoding) {
  bool any = false;
  while (!accept_encoding.empty()) {
    std::string_view parameters = TakeUntil(accept_encoding, ',');
    const std::string_view coding = TakeUntil(parameters, ';');
    bool refused = false;
    while (!parameters.empty()) {
      std::string_view value = TakeUntil(parameters, ';');
      if (EqualIgnoringCase(TakeUntil(value, '='), "q")) refused = IsZero(Trimmed(value));
    }
    if (EqualIgnoringCase(coding, "gzip") || EqualIgnoringCase(coding, "x-gzip")) return !refused;
    if (coding == "*") any = !refused;
  }
  return any;
}

bool IsCompressible(std::string_view content_type) {
  const std::string_view type = TakeUntil(content_type, ';');
  return type.starts_with("text/") || type == "application/json" ||
         type == "application/javascript" || type == "application/xml" ||
         type == "application/manifest+json" || type == "image/svg+xml";
}

namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

bool EqualIgnoringCase(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return Lower(x) == Lower(y); });
}

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), Lower);
  return lower;
}

std::string_view Trimmed(std::string_view text) {
  const std::size_t first = std::min(text.find_first_not_of(" \t"), text.size());
  text.remove_prefix(first);
  return text.substr(0, text.find_last_not_of(" \t") + 1);
}

std::string_view TakeUntil(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return Trimmed(taken);
}

}  // namespace cboard::server
