#include "compare/diagnosis/pruned_weights.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "cboard/verdict/number_text.h"

namespace cboard::compare {
namespace {

// A quantizer rounds values below this many steps to zero: half a step, with a margin for the
// rounding of code times scale.
constexpr float kRoundedToZeroSteps = 0.51f;

}  // namespace

void PruningSearch::AddRow(std::span<const float> before, std::span<const float> after,
                           float step) {
  const bool is_empty = std::ranges::all_of(after, [](float y) { return y == 0; });
  PrunedWeights& found = is_empty ? empty_.emplace_back() : found_;
  const float rounds_to_zero = kRoundedToZeroSteps * std::abs(step);
  for (std::size_t i = 0; i < before.size(); ++i) {
    const float x = std::abs(before[i]);
    if (after[i] != 0 || !(x > rounds_to_zero) || !std::isfinite(x)) continue;
    ++found.count;
    found.sum_squares += double{x} * double{x};
    found.largest = std::max(found.largest, double{x});
  }
  if (is_empty && found.count == 0) empty_.pop_back();
}

PrunedWeights PruningSearch::Found() const {
  PrunedWeights all = found_;
  for (const PrunedWeights& channel : empty_) {
    if (channel.largest > found_.largest) continue;
    all.count += channel.count;
    all.sum_squares += channel.sum_squares;
    ++all.channels;
  }
  return all;
}

void SmallestWeights::Add(std::span<const float> baseline) {
  for (const float value : baseline) {
    const float x = std::abs(value);
    if (!(x > 0) || !std::isfinite(x)) continue;
    Bin& bin = bins_[std::bit_cast<std::uint32_t>(x) >> kShift];
    ++bin.count;
    bin.sum_squares += double{x} * double{x};
  }
}

SmallestWeights::Taken SmallestWeights::Take(double count, double sum_squares) const {
  Taken taken;
  for (const Bin& bin : bins_) {
    if (bin.count == 0) continue;
    const auto in_bin = static_cast<double>(bin.count);
    // Takes some of the weights in a bin. All weights of a bin are treated as equal.
    const double share = std::min(
        {1.0, (count - taken.count) / in_bin, (sum_squares - taken.sum_squares) / bin.sum_squares});
    taken.count += share * in_bin;
    taken.sum_squares += share * bin.sum_squares;
    if (share < 1) break;
  }
  return taken;
}

std::vector<Fix> SmallestWeights::Fixes(const tensor::PairStatistics& now,
                                        const PrunedWeights& pruned, double limit_db) const {
  const double signal = now.reference.sum_squares;
  const double left = std::max(0.0, now.sum_squared_error - pruned.sum_squares);
  const auto sqnr_db = [&](const Taken& taken) {
    return 10 * std::log10(signal / (left + taken.sum_squares));
  };
  const auto percent = [&](double count) {
    return verdict::ShortNumber(100 * count / static_cast<double>(now.finite_count()), 3) + " %";
  };
  const auto count = static_cast<double>(pruned.count);
  std::vector<Fix> fixes = {{.action = "prune as many, but the smallest ones",
                             .sqnr_db = sqnr_db(Take(count, HUGE_VAL))}};
  const double allowed = signal * std::pow(10, -limit_db / 10) - left;
  if (const Taken fewer = Take(count, allowed); fewer.count >= 1) {
    fixes.push_back({.action = "prune " + percent(std::floor(fewer.count)) + " instead of " +
                               percent(count) + ", the smallest ones",
                     .sqnr_db = sqnr_db(fewer)});
  }
  return fixes;
}

}  // namespace cboard::compare
