#include "reader/query/smoother.h"

#include "cboard/reader/scalar_query.h"

namespace cboard {

std::vector<double> Smooth(std::span<const double> values, double weight) {
  std::vector<double> smoothed;
  smoothed.reserve(values.size());
  reader::Smoother smoother(weight);
  reader::ConstantCheck check;
  for (const double value : values) {
    check.See(value);
    smoothed.push_back(smoother.Next(value));
  }
  if (check.constant()) smoothed.assign(values.begin(), values.end());
  return smoothed;
}

}  // namespace cboard
