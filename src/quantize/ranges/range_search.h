// Quantization ranges from a histogram.
#pragma once

#include <optional>
#include <vector>

#include "cboard/quantize/quantize_options.h"
#include "cboard/quantize/statistics.h"

namespace cboard::quantize {

struct Range {
  double low = 0;
  double high = 0;
};

struct RangeSettings {
  int bits = 8;
  bool is_symmetric = false;
  double percentile = 99.99;
};

// The expected squared errors of quantizers, computed from sums over a histogram.
class RangeCost {
 public:
  explicit RangeCost(const TensorStatistics& statistics);

  // The mean squared error with `levels` codes from low to high.
  double MeanSquaredError(const Range& range, int bits) const;
  double SqnrDb(const Range& range, int bits) const;
  // The share of values outside of the range.
  double ClipRate(const Range& range) const;

 private:
  struct Sums {
    double count = 0, first = 0, second = 0;
  };
  // Sums of the values below `limit`.
  Sums Below(double limit) const;

  double width_ = 1;
  double count_ = 0;
  double power_ = 0;
  std::vector<Sums> below_;
};

// The range of one method; kAuto is kMse. Contains zero.
Range FindRange(const TensorStatistics& statistics, RangeMethod method,
                const RangeSettings& settings);

}  // namespace cboard::quantize
