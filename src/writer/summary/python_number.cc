#include "writer/summary/python_number.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string_view>

namespace cboard::writer::summary {

void AppendPythonRepr(double value, std::string& out) {
  if (std::isnan(value)) {
    out += "nan";  // Python prints no sign for it.
    return;
  }
  if (std::isinf(value)) {
    out += value < 0 ? "-inf" : "inf";
    return;
  }
  // Formats the shortest digits in scientific notation, "-d.ddde±xx", and then converts them to
  // Python's format.
  std::array<char, 32> buffer;
  const auto [end, status] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                           std::chars_format::scientific);
  const std::string_view text(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
  const std::size_t e = text.find('e');
  int exponent = 0;
  // Skips a plus sign, because from_chars does not accept it.
  const std::size_t exponent_start = e + (text[e + 1] == '+' ? 2 : 1);
  std::from_chars(text.data() + exponent_start, text.data() + text.size(), exponent);
  if (exponent < -4 || exponent >= 16) {
    out += text;
    return;
  }

  std::string digits;
  for (const char c : text.substr(0, e)) {
    if (c == '-') {
      out += '-';
    } else if (c != '.') {
      digits += c;
    }
  }
  if (exponent < 0) {
    out += "0.";
    out.append(static_cast<std::size_t>(-exponent - 1), '0');
    out += digits;
    return;
  }
  const auto whole = static_cast<std::size_t>(exponent) + 1;
  if (digits.size() < whole) digits.append(whole - digits.size(), '0');
  out.append(digits, 0, whole);
  out += '.';
  out += digits.size() > whole ? std::string_view(digits).substr(whole) : "0";
}

}  // namespace cboard::writer::summary
