// Mean, maximum, 95th percentile and energy of a metric, in bounded memory.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cboard/profile/hardware_monitor.h"

namespace cboard::profile {

class MetricAccumulator {
 public:
  // Adds a finite value that stands for the `seconds` before it.
  void Add(double value, double seconds);

  // `name` decides whether the time integral is an energy: powers end in "_w".
  MetricSummary Summarize(const std::string& name) const;

 private:
  // Percentiles need the values. A week at one per second would be 600,000 of each metric, so
  // when this many are kept, every second one is dropped, and from then on every second one
  // of those that would have been kept is.
  static constexpr std::size_t kMaxKept = 4096;

  std::size_t count_ = 0;
  double sum_ = 0;
  double max_ = 0;
  double integral_ = 0;
  std::size_t stride_ = 1;
  std::vector<double> kept_;
};

}  // namespace cboard::profile
