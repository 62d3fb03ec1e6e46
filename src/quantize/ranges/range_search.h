// Finds quantization ranges from a histogram.
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

// Computes the expected squared errors of quantizers from sums over a histogram.
class RangeCost {
 public:
  explicit RangeCost(const TensorStatistics& statistics);

  // Returns the mean squared error with 2^bits codes from low to high.
  double MeanSquaredError(const Range& range, int bits) const;
  double SqnrDb(const Range& range, int bits) const;
  // Returns the share of values outside the range.
  double ClipRate(const Range& range) const;

 private:
  struct Sums {
    double count = 0, first = 0, second = 0;
  };
  // Returns the sums of the values below `limit`.
  Sums Below(double limit) const;

  double width_ = 1;
  double count_ = 0;
  double power_ = 0;
  std::vector<Sums> below_;
};

// Returns the range that one method chooses; kAuto means kMse. The range contains zero.
Range FindRange(const TensorStatistics& statistics, RangeMethod method,
                const RangeSettings& settings);

}  // namespace cboard::quantize
