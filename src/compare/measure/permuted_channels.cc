#include "compare/measure/permuted_channels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace cboard::compare {
namespace {

// A channel counts as unmoved if its squared error relative to its energy is below this limit (-10
// dB).
constexpr double kSame = 0.1;
// Maximum expected share of channels that resemble another channel by chance.
constexpr double kByChance = 0.01;

// Maximum relative squared error of a channel that was found at another place. Among random rows,
// one in t^(-row / 2) is within a relative error of t of a given row. So the limit is lower for
// short rows, because many short rows are similar by chance.
double PermutedErrorLimit(std::size_t channels, std::size_t row) {
  if (channels == 0 || row == 0) return 0;
  const double one = kByChance / static_cast<double>(channels);
  return std::min(kSame, std::pow(one, 2 / static_cast<double>(row)));
}

// Sums several lanes at once, so that compilers vectorize the loop.
template <typename Term>
double SumOf(std::size_t begin, std::size_t end, const Term& term) {
  constexpr std::size_t kLanes = 8;
  std::array<double, kLanes> sums = {};
  for (; begin + kLanes <= end; begin += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += term(begin + lane);
  }
  for (; begin < end; ++begin) sums[0] += term(begin);
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

double EnergyOf(std::span<const float> row) {
  return SumOf(0, row.size(), [&](std::size_t i) { return double{row[i]} * row[i]; });
}

// Returns true if the squared error between two rows is at most `most`; stops as soon as it is
// larger.
bool AreWithin(double most, std::span<const float> a, std::span<const float> b) {
  constexpr std::size_t kPart = 64;
  double sum = 0;
  for (std::size_t begin = 0; begin < a.size() && sum <= most; begin += kPart) {
    sum += SumOf(begin, std::min(begin + kPart, a.size()), [&](std::size_t i) {
      const double error = double{a[i]} - b[i];
      return error * error;
    });
  }
  return sum <= most;
}

// Maximum number of elements of a row that are used for a hash, because hashing all elements would
// take longer than comparing them.
constexpr std::size_t kMaxSampledElements = 64;

std::size_t SampleStep(std::size_t row) {
  return (row + kMaxSampledElements - 1) / kMaxSampledElements;
}

}  // namespace

PermutedChannels::PermutedChannels(std::span<const float> before, std::size_t row)
    : before_(before),
      row_(row),
      same_(PermutedErrorLimit(row == 0 ? 0 : before.size() / row, row)) {}

SimHash PermutedChannels::HashOf(std::span<const float> row) const {
  std::array<float, kMaxSampledElements> some;
  std::size_t count = 0;
  for (std::size_t i = 0; i < row.size(); i += SampleStep(row.size())) some[count++] = row[i];
  return planes_->HashOf(std::span(some).first(count));
}

void PermutedChannels::MakeIndex() {
  planes_.emplace((row_ + SampleStep(row_) - 1) / SampleStep(row_));
  const std::size_t channels = before_.size() / row_;
  std::vector<SimHash> signs;
  signs.reserve(channels);
  for (std::size_t c = 0; c < channels; ++c) {
    signs.push_back(HashOf(Before(c)));
    norms_.push_back(std::sqrt(EnergyOf(Before(c))));
  }
  index_.emplace(signs);
}

bool PermutedChannels::IsPermuted(std::size_t channel, std::span<const float> after) {
  const double energy = EnergyOf(after), most = same_ * energy;
  if (energy == 0 || AreWithin(kSame * energy, Before(channel), after)) return false;
  if (!index_) MakeIndex();
  const double norm = std::sqrt(energy);
  return index_->IsNear(HashOf(after), [&](std::size_t other) {
    // The distance of two rows is at least the difference of their L2 norms. The margin allows for
    // rounding.
    const double gap = norms_[other] - norm;
    return other != channel && !(gap * gap > 1.001 * most) && AreWithin(most, Before(other), after);
  });
}

}  // namespace cboard::compare
