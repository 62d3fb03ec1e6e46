// Stores the times of many runs: sums over all runs, and a random selection of single values.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <vector>

namespace cboard::benchmark {

class SampleStore {
 public:
  SampleStore(std::size_t max_kept, std::uint64_t seed) : max_kept_(max_kept), random_(seed) {}

  void Add(double value) {
    ++count_;
    const double from_mean = value - mean_;
    mean_ += from_mean / static_cast<double>(count_);
    squares_ += from_mean * (value - mean_);
    min_ = std::min(min_, value);
    max_ = std::max(max_, value);
    if (kept_.size() < max_kept_) {
      kept_.push_back(value);
    } else if (const std::size_t place = random_() % count_; place < max_kept_) {
      kept_[place] = value;
    }
  }

  std::size_t count() const { return count_; }
  double mean() const { return mean_; }
  double min() const { return min_; }
  double max() const { return max_; }
  double deviation() const {
    return count_ < 2 ? 0 : std::sqrt(squares_ / static_cast<double>(count_ - 1));
  }
  std::vector<double> Ascending() const {
    std::vector<double> values = kept_;
    std::ranges::sort(values);
    return values;
  }

 private:
  std::size_t max_kept_;
  std::mt19937_64 random_;
  std::vector<double> kept_;
  std::size_t count_ = 0;
  double mean_ = 0;
  double squares_ = 0;
  double min_ = std::numeric_limits<double>::infinity();
  double max_ = -std::numeric_limits<double>::infinity();
};

}  // namespace cboard::benchmark
