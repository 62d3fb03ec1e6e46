#include "reader/query/smoother.h"

#include "cboard/reader/scalar_query.h"

namespace cboard::reader {

std::vector<double> Smooth(std::span<const double> values, double weight) {
  std::vector<double> smoothed;
  smoothed.reserve(values.size());
  Smoother smoother(weight);
  ConstantCheck check;
  for (const double value : values) {
    check.See(value);
    smoothed.push_back(smoother.Next(value));
  }
  if (check.constant()) smoothed.assign(values.begin(), values.end());
  return smoothed;
}

}  // namespace cboard::reader
