#include "cboard/verdict/number_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

namespace cboard::verdict {

std::string ShortNumber(double value, int digits) {
  char text[32];
  const auto end =
      std::to_chars(text, text + sizeof text, value, std::chars_format::general, digits);
  return std::string(text, end.ptr);
}

std::string Percent(double share) { return ShortNumber(share * 100, 3) + " %"; }

std::string FixedNumber(double value, int decimals) {
  char text[64];
  const bool is_large = !(std::abs(value) < 1e15);
  const auto end =
      is_large ? std::to_chars(text, text + sizeof text, value, std::chars_format::general, 4)
               : std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, decimals);
  std::string result(text, end.ptr);
  if (result.starts_with('-')) result.replace(0, 1, "−");
  return result;
}

bool IsLost(double db) { return db <= -kLoggedExactDb; }

std::string DbText(double db) {
  return db >= kLoggedExactDb ? "exact" : IsLost(db) ? "lost" : FixedNumber(db, 1);
}

std::string DbWithUnit(double db) {
  return DbText(db) + (std::abs(db) < kLoggedExactDb ? " dB" : "");
}

std::string SqnrClause(double db) {
  return IsLost(db) ? "the signal is lost" : "SQNR is " + ShortNumber(db) + " dB";
}

std::string GainText(double gain_db) {
  if (gain_db >= kLoggedExactDb) return std::isinf(gain_db) ? "exact" : "from lost";
  const std::string text = DbText(std::abs(gain_db) < 0.05 ? 0 : gain_db);  // Avoids "−0.0".
  return gain_db >= 0.05 ? "+" + text : text;
}

int DecimalsOfColumn(std::span<const double> values) {
  std::vector<double> sizes;
  std::size_t needed = 0;
  for (const double value : values) {
    const double size = std::abs(value);
    if (!std::isfinite(value) || size == 0) continue;
    sizes.push_back(size);
    const std::string text = ShortNumber(size);
    const std::size_t point = text.find('.');
    if (size >= 1e-4 && size < 1e4 && point != std::string::npos) {
      needed = std::max(needed, text.size() - point - 1);
    }
  }
  if (sizes.empty()) return 0;
  std::ranges::sort(sizes);
  const auto decimals = [](double of, int digits) {
    return digits - 1 - static_cast<int>(std::floor(std::log10(of)));
  };
  const int least = decimals(sizes.back(), 4);
  // Ignores the smallest tenth of the numbers, so these may have fewer significant digits.
  const int wanted = std::clamp(decimals(sizes[sizes.size() / 10], 3), least, least + 2);
  return std::clamp(std::min(wanted, static_cast<int>(needed)), 0, 4);
}

std::string ColumnNumber(double value, int decimals) {
  const bool reads_as_zero = value != 0 && std::abs(value) < 0.5 * std::pow(10, -decimals);
  return reads_as_zero || !std::isfinite(value) ? ShortNumber(value) : FixedNumber(value, decimals);
}

std::string TimesText(double times) {
  const bool is_near_one = std::abs(times - 1) < 0.005 && times != 1;
  if (times >= 10) return ShortNumber(times, 3) + "×";
  return FixedNumber(times, is_near_one ? 3 : 2) + "×";
}

}  // namespace cboard::verdict
