#include "server/tensorboard/python_text.h"

#include <charconv>
#include <cmath>

#include "cboard/base/strings.h"

namespace cboard::server::tensorboard {
namespace {

constexpr std::size_t kMaxBytes = 1000;

// The decimal digits of a number and the position of its decimal point: digits "1234" with position
// 2 are 12.34.
std::string Positional(std::string digits, int point) {
  const int count = static_cast<int>(digits.size());
  if (point <= 0) return "0." + std::string(static_cast<std::size_t>(-point), '0') + digits;
  if (point >= count) {
    return digits + std::string(static_cast<std::size_t>(point - count), '0') + ".0";
  }
  return digits.insert(static_cast<std::size_t>(point), ".");
}

}  // namespace

std::string PythonRepr(const std::optional<std::string>& text) {
  if (!text) return "None";
  constexpr std::string_view kHex = "0123456789abcdef";
  const bool double_quotes =
      text->find('\'') != std::string::npos && text->find('"') == std::string::npos;
  const char quote = double_quotes ? '"' : '\'';
  std::string shown(1, quote);
  const std::string valid = ToValidUtf8(text->substr(0, kMaxBytes));
  for (const char c : valid) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == quote || c == '\\') {
      shown += {'\\', c};
    } else if (c == '\n') {
      shown += "\\n";
    } else if (c == '\r') {
      shown += "\\r";
    } else if (c == '\t') {
      shown += "\\t";
    } else if (byte < 0x20 || byte == 0x7F) {
      shown += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
    } else {
      shown += c;
    }
  }
  return shown + quote;
}

std::string PythonRepr(double number) {
  if (!std::isfinite(number)) return ShortestDecimal(number);
  char text[32];
  const char* const end =
      std::to_chars(text, text + sizeof text, std::abs(number), std::chars_format::scientific).ptr;
  const std::string_view shortest(text, static_cast<std::size_t>(end - text));  // 1.7e+09
  const std::size_t e = shortest.find('e');
  int exponent = 0;
  const bool negative_exponent = shortest[e + 1] == '-';
  std::from_chars(text + e + 2, end, exponent);
  if (negative_exponent) exponent = -exponent;
  const std::string sign = std::signbit(number) ? "-" : "";
  if (exponent < -4 || exponent >= 16) return sign + std::string(shortest);
  std::string digits(shortest.substr(0, e));
  if (digits.size() > 1) digits.erase(1, 1);
  return sign + Positional(std::move(digits), exponent + 1);
}

std::string CsvCell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string cell = "\"";
  for (const char c : text) {
    if (c == '"') cell += '"';
    cell += c;
  }
  return cell + "\"";
}

}  // namespace cboard::server::tensorboard
