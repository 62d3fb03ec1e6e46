#include "server/http/url.h"

#include <algorithm>
#include <charconv>

#include "cboard/base/strings.h"

namespace cboard::server {
namespace {

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool IsControl(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

// Decodes '+' as a space in queries, as HTML forms and URLSearchParams write it; in a path, '+' is
// itself.
enum class Plus { kItself, kBlank };

Result<std::string> Decode(std::string_view text, Plus plus) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus == Plus::kBlank) {
      decoded += ' ';
    } else if (text[i] != '%') {
      decoded += text[i];
    } else {
      const int high = i + 2 < text.size() ? HexDigit(text[i + 1]) : -1;
      const int low = high >= 0 ? HexDigit(text[i + 2]) : -1;
      if (low < 0) {
        return Fail(ErrorCode::kInvalidArgument, "a '%' in the address part " + Quoted(text) +
                                                     " is not followed by two hexadecimal digits");
      }
      decoded += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  if (!IsValidUtf8(decoded)) {
    return Fail(ErrorCode::kInvalidArgument,
                "the part " + Quoted(text) + " of the address is not UTF-8");
  }
  return decoded;
}

}  // namespace

Result<std::string> DecodeQueryText(std::string_view text) { return Decode(text, Plus::kBlank); }

Result<Target> ParseTarget(std::string_view target) {
  if (!target.starts_with('/')) {
    return Fail(ErrorCode::kInvalidArgument,
                Quoted(target) + " is not a valid path in a URL: it must begin with '/'");
  }
  target = target.substr(0, target.find('#'));
  const std::size_t mark = target.find('?');
  Target parsed;
  CBOARD_ASSIGN_OR_RETURN(parsed.path, Decode(target.substr(0, mark), Plus::kItself));
  if (std::ranges::any_of(parsed.path, IsControl)) {
    return Fail(ErrorCode::kInvalidArgument,
                "the path " + Quoted(parsed.path) + " of the address contains control characters");
  }
  if (mark == std::string_view::npos) return parsed;
  for (const std::string_view part : Split(target.substr(mark + 1), '&')) {
    if (part.empty()) continue;
    if (parsed.query.size() == kMaxQueryParameters) {
      return Fail(ErrorCode::kInvalidArgument,
                  "the address has too many query parameters; the maximum is " +
                      std::to_string(kMaxQueryParameters) + "");
    }
    const std::size_t equals = part.find('=');
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view() : part.substr(equals + 1);
    CBOARD_ASSIGN_OR_RETURN(std::string name, Decode(part.substr(0, equals), Plus::kBlank));
    CBOARD_ASSIGN_OR_RETURN(std::string decoded, Decode(value, Plus::kBlank));
    parsed.query.emplace_back(std::move(name), std::move(decoded));
  }
  return parsed;
}

Result<std::string> Target::Query(std::string_view name) const {
  const auto found = std::ranges::find(query, name, &std::pair<std::string, std::string>::first);
  if (found == query.end()) {
    return Fail(ErrorCode::kInvalidArgument,
                "the address " + path + " needs the query parameter '" + std::string(name) +
                    "': " + path + "?" + std::string(name) + "=…");
  }
  return found->second;
}

Result<std::size_t> Target::NumberQuery(std::string_view name, std::size_t least, std::size_t most,
                                        std::size_t otherwise) const {
  const Result<std::string> text = Query(name);
  if (!text) return otherwise;
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error != std::errc() || end != text->data() + text->size() || number < least ||
      number > most) {
    return Fail(ErrorCode::kInvalidArgument, "the parameter " + std::string(name) + " is " +
                                                 Quoted(*text) + "; expected a whole number from " +
                                                 std::to_string(least) + " to " +
                                                 std::to_string(most));
  }
  return number;
}

}  // namespace cboard::server
