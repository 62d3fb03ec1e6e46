// Numbers in sentences.
#pragma once

#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

namespace cboard::analysis {

// Four significant digits: 0.3333, 12.5, 1.2e+06.
inline std::string ShortNumber(double value, int digits = 4) {
  char text[32];
  const auto end =
      std::to_chars(text, text + sizeof text, value, std::chars_format::general, digits);
  return std::string(text, end.ptr);
}

// 0.317 -> "31.7 %".
inline std::string Percent(double share) { return ShortNumber(share * 100, 3) + " %"; }

// With a true minus: "−0.42". Large numbers stay readable: 1.2e+30.
inline std::string FixedNumber(double value, int decimals) {
  char text[64];
  const bool is_large = !(std::abs(value) < 1e15);
  const auto end =
      is_large ? std::to_chars(text, text + sizeof text, value, std::chars_format::general, 4)
               : std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, decimals);
  std::string result(text, end.ptr);
  if (result.starts_with('-')) result.replace(0, 1, "−");
  return result;
}

// "3.96×", "23.1×"; three decimals near 1, so that 1.002 never reads as break-even.
inline std::string TimesText(double times) {
  const bool is_near_one = std::abs(times - 1) < 0.005 && times != 1;
  if (times >= 10) return ShortNumber(times, 3) + "×";
  return FixedNumber(times, is_near_one ? 3 : 2) + "×";
}

}  // namespace cboard::analysis
