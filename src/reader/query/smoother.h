// TensorBoard's smoothing of curves, one point at a time.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace cboard::reader {

// The exponential moving average of TensorBoard's charts. It is divided by the sum of the weights
// so far. Without this, it would be biased towards zero at the start.
class Smoother {
 public:
  explicit Smoother(double weight) : weight_(weight) {}

  double Next(double value) {
    if (!std::isfinite(value)) return value;
    last_ = last_ * weight_ + (1 - weight_) * value;
    if (debias_ < 1) {
      debias_ = 1 - std::pow(weight_, static_cast<double>(++count_));
    }
    return last_ / debias_;
  }

 private:
  double weight_;
  double last_ = 0;
  double debias_ = 0;  // When the sum has reached 1 in double precision, it stays 1.
  std::uint64_t count_ = 0;
};

// True if all values are equal. TensorBoard does not smooth such series.
class ConstantCheck {
 public:
  void See(double value) {
    if (!seen_) first_ = value, seen_ = true;
    constant_ = constant_ && value == first_;  // NaN makes it false, as in JavaScript.
  }
  bool constant() const { return constant_; }

 private:
  double first_ = 0;
  bool seen_ = false;
  bool constant_ = true;
};

}  // namespace cboard::reader
