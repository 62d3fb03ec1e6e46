#include "server/http/content_coding.h"

#include "server/http/header_text.h"

namespace cboard::server {
namespace {

// "0", "0.0", "0.000"
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

}  // namespace cboard::server
