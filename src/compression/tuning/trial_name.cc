#include <charconv>

#include "cboard/compression/tuning_names.h"
#include "writer/summary/python_number.h"

namespace cboard::compression {
namespace {

constexpr std::string_view kBaseline = "baseline", kTune = "tune_", kAccuracy = "_acc";

// Returns the numbers in a text such as "0.776", "[0.776]", "[0.776, 0.91]" or "(0.8,)".
std::vector<double> NumbersIn(std::string_view text) {
  std::vector<double> numbers;
  while (!text.empty()) {
    const std::size_t start = text.find_first_not_of("[](){}, ");
    if (start == std::string_view::npos) break;
    text.remove_prefix(start);
    const std::size_t end = std::min(text.find_first_of("[](){}, "), text.size());
    double number = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + end, number);
    // Rejects text such as "0.5.bak": the name of a renamed copy contains no accuracy.
    if (parsed.ec != std::errc() || parsed.ptr != text.data() + end) return {};
    numbers.push_back(number);
    text.remove_prefix(end);
  }
  return numbers;
}

// Returns the number of a trial: 12 for tune_12; nullopt for more than nine digits.
std::optional<int> NumberBefore(std::string_view& rest) {
  int number = 0;
  const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
  if (digits == 0 || digits > 9) return std::nullopt;
  std::from_chars(rest.data(), rest.data() + digits, number);
  rest.remove_prefix(digits);
  return number;
}

}  // namespace

std::optional<TrialName> ParseTrialName(std::string_view directory) {
  TrialName name;
  std::string_view rest = directory;
  if (rest.starts_with(kBaseline)) {
    rest.remove_prefix(kBaseline.size());
  } else if (rest.starts_with(kTune)) {
    rest.remove_prefix(kTune.size());
    const std::optional<int> number = NumberBefore(rest);
    if (!number) return std::nullopt;
    name.number = *number;
  } else {
    return std::nullopt;
  }
  if (rest.empty()) return name;
  if (!rest.starts_with(kAccuracy)) return std::nullopt;
  rest.remove_prefix(kAccuracy.size());
  if (rest.starts_with('_')) rest.remove_prefix(1);
  name.has_accuracy = true;
  name.accuracies = NumbersIn(rest);
  return name;
}

std::string VariantOfTrial(int number) {
  return number == 0 ? std::string(kBaseline) : std::string(kTune) + std::to_string(number);
}

std::string TrialDirectoryName(int number, std::span<const double> accuracies, TrialNaming naming) {
  std::string name = VariantOfTrial(number);
  if (accuracies.empty()) return name;
  name += kAccuracy;
  if (naming == TrialNaming::kTensorFlow) name += '_';
  if (accuracies.size() > 1) name += '[';
  for (std::size_t i = 0; i < accuracies.size(); ++i) {
    if (i > 0) name += ", ";
    writer::summary::AppendPythonRepr(accuracies[i], name);
  }
  if (accuracies.size() > 1) name += ']';
  return name;
}

}  // namespace cboard::compression
