// Computes mean, maximum, 95th percentile and energy of a metric, in limited memory.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cboard/profile/hardware_monitor.h"

namespace cboard::profile {

class MetricAccumulator {
 public:
  // Adds a value that was valid for the last `seconds` seconds. Non-finite values are ignored.
  void Add(double value, double seconds);

  // Returns the summary. If `name` ends with "_w", the metric is a power, and the summary contains
  // its integral over time as the energy.
  MetricSummary Summarize(const std::string& name) const;

 private:
  // Maximum number of stored values, which are needed for the percentile. One sample per second for
  // a week gives 600,000 values per metric. When the maximum is reached, every second stored value
  // is dropped, and from then on only every second value is stored.
  static constexpr std::size_t kMaxKept = 4096;

  std::size_t count_ = 0;
  double sum_ = 0;
  double max_ = 0;
  double integral_ = 0;
  std::size_t stride_ = 1;
  std::vector<double> kept_;
};

}  // namespace cboard::profile
