#include "compare/folding/channel_factors.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace cboard::compare {
namespace {

// Distance of each factor's logarithm from the median; unknown factors (0) are skipped. Empty if
// fewer than two factors are known.
std::vector<double> DistancesOf(const std::vector<double>& factors) {
  std::vector<double> logs;
  for (const double factor : factors) {
    if (factor > 0) logs.push_back(std::log(factor));
  }
  if (logs.size() < 2) return {};
  std::vector<double> sorted = logs;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::ranges::nth_element(sorted, middle);
  for (double& log : logs) log = std::abs(log - *middle);
  return logs;
}

double DecibelsOf(double signal, double noise) {
  if (!(signal > 0)) return -HUGE_VAL;
  return noise > 0 ? 10 * std::log10(signal / noise) : HUGE_VAL;
}

}  // namespace

bool Vary(const std::vector<double>& factors) {
  constexpr double kMinDeviation = 0.02;
  double squares = 0, count = 0;
  for (const double distance : DistancesOf(factors)) {
    squares += distance * distance;
    count += 1;
  }
  return squares >= kMinDeviation * kMinDeviation * count && count > 0;
}

bool AreNearlyEqual(const std::vector<double>& factors) {
  constexpr double kMaxMedianDeviation = 0.05;
  std::vector<double> distances = DistancesOf(factors);
  if (distances.empty()) return true;
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::ranges::nth_element(distances, middle);
  return *middle <= kMaxMedianDeviation;
}

std::vector<double> Inverse(const std::vector<double>& factors, std::size_t times) {
  std::vector<double> inverse;
  inverse.reserve(factors.size() * times);
  for (const double factor : factors) {
    inverse.insert(inverse.end(), times, factor > 0 ? 1 / factor : 1);
  }
  return inverse;
}

double SqnrOf(const WeightRows& x, const WeightRows& y) {
  double signal = 0, noise = 0;
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    const double error = double{x.values[i]} - y.values[i];
    signal += double{x.values[i]} * x.values[i];
    noise += error * error;
  }
  return DecibelsOf(signal, noise);
}

FittedRows FitRows(const WeightRows& x, const WeightRows& y) {
  FittedRows fitted;
  double signal = 0, noise = 0;
  for (std::size_t c = 0; c < x.channels; ++c) {
    double xx = 0, xy = 0, yy = 0;
    for (std::size_t i = c * x.row; i < (c + 1) * x.row; ++i) {
      const double a = x.values[i], b = y.values[i];
      xx += a * a;
      xy += a * b;
      yy += b * b;
    }
    const double factor = xx > 0 && xy > 0 ? xy / xx : 0;
    fitted.factors.push_back(std::isfinite(factor) ? factor : 0);
    signal += yy;
    noise += yy - factor * xy;
  }
  fitted.sqnr_db = DecibelsOf(signal, noise);
  return fitted;
}

void RefineInputs(const WeightRows& x, const WeightRows& y, const std::vector<double>& outputs,
                  const InputLayout& layout, std::vector<double>& inputs) {
  constexpr std::size_t kMinOutputs = 16;
  const std::size_t in_group = x.channels / layout.groups;
  if (in_group < kMinOutputs) return;
  std::vector<double> xx(inputs.size()), xy(inputs.size());
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    const std::size_t output = i / x.row;
    const std::size_t input = output / in_group * layout.in_group() + i % x.row / layout.each;
    const double a = outputs[output] * inputs[input] * x.values[i];
    xx[input] += a * a;
    xy[input] += a * y.values[i];
  }
  constexpr double kMaxMeanLogFactor = 0.025;
  double logs = 0, known = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!(xx[i] > 0 && xy[i] > 0)) continue;
    inputs[i] *= xy[i] / xx[i];
    logs += std::log(xy[i] / xx[i]);
    known += 1;
  }
  if (known == 0 || std::abs(logs / known) <= kMaxMeanLogFactor) return;
  for (double& factor : inputs) factor /= std::exp(logs / known);
}

}  // namespace cboard::compare
