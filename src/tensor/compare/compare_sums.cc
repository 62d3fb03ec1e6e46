#include "tensor/compare/compare_sums.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "tensor/kernels/rounding_kernels.h"

namespace cboard::tensor {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

// Maximum number of pairs that are added one by one, because that is faster than a kernel call.
// Blocks with non-finite values are also added one by one.
constexpr std::size_t kFew = 4;
constexpr double kNotFinite = kNothing;

}  // namespace

Steps::Steps(double step, std::int32_t zero, std::int32_t code_min, std::int32_t code_max)
    : scale(step), zero_point(zero) {
  // If the scale is negative, the first code is the upper end of the range, so the limits are
  // swapped.
  const auto offset = static_cast<double>(zero);
  const double first = (static_cast<double>(code_min) - offset - 0.5) * step;
  const double last = (static_cast<double>(code_max) - offset + 0.5) * step;
  low = std::min(first, last);
  high = std::max(first, last);
}

template <typename Real>
void PairSums::AddClipped(std::span<const Real> reference, const BlockMoments& moments,
                          const Steps& steps) {
  // No value is clipped if the min and max of the block are inside the limits.
  if (moments.min >= steps.low && moments.max <= steps.high) return;
  if constexpr (std::is_same_v<Real, float>) {
    // Rounds the limits to the nearest floats inside them. Comparing floats with the rounded limits
    // gives the same result as with the limits in double precision.
    auto low = static_cast<float>(steps.low), high = static_cast<float>(steps.high);
    const float infinity = std::numeric_limits<float>::infinity();
    if (static_cast<double>(low) < steps.low) low = std::nextafter(low, infinity);
    if (static_cast<double>(high) > steps.high) high = std::nextafter(high, -infinity);
    clipped_ += CountOutside(reference, low, high);
  } else {
    clipped_ += static_cast<std::uint64_t>(std::ranges::count_if(
        reference, [&](double x) { return x < steps.low || x > steps.high; }));
  }
}

void PairSums::AddErrors(std::size_t count, const BlockErrors& errors, const Steps* steps) {
  reference_.AddFinite(count, errors.reference);
  squared_error_.Add(errors.sum_squares);
  max_error_ = std::max(max_error_, errors.max);
  if (steps != nullptr) {
    squared_steps_.Add(errors.sum_squares / (steps->scale * steps->scale));
  }
}

void PairSums::AddOneByOne(double x, double y, const Steps* steps) {
  const bool counts = std::isfinite(x) && std::isfinite(y);
  if (counts || !std::isfinite(x)) reference_.Add(x, 1);
  if (counts || !std::isfinite(y)) compressed_.Add(y, 1);
  if (!counts) return;
  const double error = x - y;
  squared_error_.Add(error * error);
  max_error_ = std::max(max_error_, std::abs(error));
  if (steps == nullptr) return;
  const double in_steps = error / steps->scale;
  squared_steps_.Add(in_steps * in_steps);
  clipped_ += x < steps->low || x > steps->high ? 1u : 0u;
}

// Adds a whole block if its errors are only rounding errors. Otherwise adds nothing and returns
// false.
template <typename Code>
bool PairSums::AddRounded(std::span<const float> reference, std::span<const Code> codes,
                          const Steps& steps, CodeMoments& moments) {
  const RoundedBlock block =
      RoundingOf(reference.first<kPairBlock>(), codes.template first<kPairBlock>(), steps.scale,
                 steps.zero_point);
  if (!block.is_close) return false;
  AddErrors(codes.size(), block.errors, &steps);
  AddClipped(reference, block.errors.reference, steps);
  moments = block.codes;
  return true;
}

template <typename Code>
CodeMoments PairSums::AddCodes(std::span<const float> reference, std::span<const Code> codes,
                               const Steps& steps) {
  count_ += codes.size();
  has_steps_ = true;
  CodeMoments moments;
  const bool is_whole = codes.size() == kPairBlock;
  if (is_whole && is_rounding_ && AddRounded(reference, codes, steps, moments)) {
    compressed_.AddCodes(moments, steps.scale, steps.zero_point);
    return moments;
  }
  moments = MomentsOf(codes);
  BlockErrors errors{.sum_squares = kNotFinite};
  if (codes.size() > kFew) errors = ErrorsOf(reference, codes, steps.scale, steps.zero_point);
  if (std::isfinite(errors.sum_squares)) {
    AddErrors(codes.size(), errors, &steps);
    AddClipped(reference, errors.reference, steps);
    compressed_.AddCodes(moments, steps.scale, steps.zero_point);
    if (is_whole) {
      is_rounding_ = errors.sum_squares <= kRoundingNoise * errors.reference.sum_squares;
    }
  } else {
    for (std::size_t i = 0; i < codes.size(); ++i) {
      AddOneByOne(static_cast<double>(reference[i]),
                  static_cast<double>(codes[i] - steps.zero_point) * steps.scale, &steps);
    }
  }
  return moments;
}

template CodeMoments PairSums::AddCodes(std::span<const float>, std::span<const std::int8_t>,
                                        const Steps&);
template CodeMoments PairSums::AddCodes(std::span<const float>, std::span<const std::uint8_t>,
                                        const Steps&);

template <typename Real>
void PairSums::AddReals(std::span<const Real> reference, std::span<const Real> compressed,
                        const Steps* steps) {
  count_ += reference.size();
  has_steps_ = has_steps_ || steps != nullptr;
  BlockMoments moments;
  BlockErrors errors{.sum_squares = kNotFinite};
  if (reference.size() > kFew) errors = ErrorsOf(reference, compressed, moments);
  // Also checks the sums of squares of the baseline values and of the compressed values: they are
  // not finite if values are infinite or extremely large.
  if (std::isfinite(errors.sum_squares + errors.reference.sum_squares + moments.sum_squares)) {
    AddErrors(reference.size(), errors, steps);
    if (steps != nullptr) AddClipped(reference, errors.reference, *steps);
    compressed_.AddFinite(reference.size(), moments);
    return;
  }
  for (std::size_t i = 0; i < reference.size(); ++i) {
    AddOneByOne(static_cast<double>(reference[i]), static_cast<double>(compressed[i]), steps);
  }
}

template void PairSums::AddReals(std::span<const float>, std::span<const float>, const Steps*);
template void PairSums::AddReals(std::span<const double>, std::span<const double>, const Steps*);

bool PairSums::AddLane(std::size_t count, const LaneErrors& errors, std::size_t lane,
                       const Steps* steps, bool are_codes) {
  const BlockErrors block{
      {errors.min[lane], errors.max[lane], errors.sum[lane], errors.sum_squares[lane]},
      errors.error_squares[lane],
      errors.error_max[lane]};
  const double min = errors.compressed_min[lane], max = errors.compressed_max[lane];
  const double sum = errors.compressed_sum[lane];
  const double sum_squares = errors.compressed_sum_squares[lane];
  if (!std::isfinite(block.sum_squares + block.reference.sum_squares + sum_squares)) return false;
  count_ += count;
  has_steps_ = has_steps_ || steps != nullptr;
  AddErrors(count, block, steps);
  clipped_ += static_cast<std::uint64_t>(errors.clipped[lane]);
  if (are_codes) {
    const auto [low, high] = std::minmax({min * steps->scale, max * steps->scale});
    compressed_.AddFinite(
        count, {low, high, sum * steps->scale, sum_squares * (steps->scale * steps->scale)});
  } else {
    compressed_.AddFinite(count, {min, max, sum, sum_squares});
  }
  return true;
}

void PairSums::Merge(const PairSums& other) {
  count_ += other.count_;
  reference_.Merge(other.reference_);
  compressed_.Merge(other.compressed_);
  squared_error_.Add(other.squared_error_.total());
  max_error_ = std::max(max_error_, other.max_error_);
  has_steps_ = has_steps_ || other.has_steps_;
  clipped_ += other.clipped_;
  squared_steps_.Add(other.squared_steps_.total());
}

PairStatistics PairSums::Build() const {
  PairStatistics pairs;
  pairs.count = count_;
  pairs.reference = reference_.Build();
  pairs.compressed = compressed_.Build();
  pairs.sum_squared_error = squared_error_.total();
  pairs.max_error = max_error_;
  if (has_steps_) {
    pairs.steps =
        StepStatistics{.clipped_count = clipped_, .sum_squared_steps = squared_steps_.total()};
  }
  return pairs;
}

double PairStatistics::SqnrDb() const {
  if (finite_count() == 0) return kNothing;
  if (sum_squared_error == 0) return std::numeric_limits<double>::infinity();
  return 10 * std::log10(reference.sum_squares / sum_squared_error);
}

double PairStatistics::Cosine() const {
  if (finite_count() == 0) return kNothing;
  const double x = std::sqrt(reference.sum_squares), y = std::sqrt(compressed.sum_squares);
  if (x == 0 || y == 0) return x == y ? 1 : 0;
  // Computes the cosine from the difference of the vectors, because 1 - Σxy / |x||y| would lose all
  // significant digits for small angles.
  const double gap = x - y;
  return std::clamp(1 - (sum_squared_error - gap * gap) / (2 * x * y), -1.0, 1.0);
}

double PairStatistics::Dot() const {
  if (finite_count() == 0) return kNothing;
  return (reference.sum_squares + compressed.sum_squares - sum_squared_error) / 2;
}

double PairStatistics::Mse() const {
  return finite_count() == 0 ? kNothing : sum_squared_error / static_cast<double>(finite_count());
}

double PairStatistics::Rmse() const { return std::sqrt(Mse()); }

double PairStatistics::MeanShiftSigmas() const {
  if (finite_count() == 0) return kNothing;
  const auto pairs = static_cast<double>(finite_count());
  const double mean = reference.sum / pairs;
  const double shift = compressed.sum / pairs - mean;
  if (shift == 0) return 0;
  return shift / std::sqrt(std::max(0.0, reference.sum_squares / pairs - mean * mean));
}

std::optional<double> PairStatistics::RmseSteps() const {
  if (!steps) return std::nullopt;
  if (finite_count() == 0) return kNothing;
  return std::sqrt(steps->sum_squared_steps / static_cast<double>(finite_count()));
}

std::optional<double> PairStatistics::ClipRate() const {
  if (!steps) return std::nullopt;
  if (finite_count() == 0) return kNothing;
  return static_cast<double>(steps->clipped_count) / static_cast<double>(finite_count());
}

}  // namespace cboard::tensor
