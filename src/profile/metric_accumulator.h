// Computes mean, maximum, 95th percentile and energy of a metric, in limited memory.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cboard/profile/hardware_monitor.h"

namespace cboard::profile {

class MetricAccumulator {
 public:
  // Adds a finite value that was valid for the last `seconds`.
  void Add(double value, double seconds);

  // Returns the summary. `name` decides whether the time integral is an energy: names of powers end
  // with "_w".
  MetricSummary Summarize(const std::string& name) const;

 private:
  // Maximum number of stored values, which are needed for percentiles. A week with one sample per
  // second has 600,000 values per metric. When the maximum is reached, every second stored value is
  // dropped, and the sampling interval is doubled.
  static constexpr std::size_t kMaxKept = 4096;

  std::size_t count_ = 0;
  double sum_ = 0;
  double max_ = 0;
  double integral_ = 0;
  std::size_t stride_ = 1;
  std::vector<double> kept_;
};

}  // namespace cboard::profile
