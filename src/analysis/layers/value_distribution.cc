#include "cboard/analysis/value_distribution.h"

#include <algorithm>
#include <cmath>

#include "cboard/base/check.h"
#include "cboard/base/strings.h"

namespace cboard::analysis {
namespace {

// Returns the mean of |d|, where d changes linearly from `d0` to `d1`.
double MeanMagnitude(double d0, double d1) {
  const double a = std::abs(d0), b = std::abs(d1);
  if (d0 * d1 >= 0 || a + b == 0) return (a + b) / 2;
  return (a * a + b * b) / (2 * (a + b));
}

double MeanSquare(double d0, double d1) { return (d0 * d0 + d0 * d1 + d1 * d1) / 3; }

}  // namespace

Result<ValueDistribution> ValueDistribution::FromBins(std::span<const ValueBin> bins) {
  std::vector<ValueBin> kept;
  double count = 0;
  for (std::size_t i = 0; i < bins.size(); ++i) {
    const ValueBin& bin = bins[i];
    const auto fail = [&](std::string_view what) {
      return Fail(ErrorCode::kInvalidArgument,
                  "invalid histogram: bin " + HumanCount(i) + " from " + ShortestDecimal(bin.low) +
                      " to " + ShortestDecimal(bin.high) + " with " + ShortestDecimal(bin.count) +
                      " values " + std::string(what));
    };
    if (!std::isfinite(bin.count) || bin.count < 0) return fail("must have a count of 0 or more");
    if (bin.count == 0) continue;
    if (!std::isfinite(bin.low) || !std::isfinite(bin.high)) return fail("must have finite edges");
    if (bin.low > bin.high) return fail("has its lower edge above its upper edge");
    if (!kept.empty() && bin.low < kept.back().high) return fail("overlaps the bin before it");
    kept.push_back(bin);
    count += bin.count;
  }
  if (kept.empty()) return Fail(ErrorCode::kInvalidArgument, "the histogram contains no values");
  if (!std::isfinite(count)) {
    return Fail(ErrorCode::kInvalidArgument,
                "the sum of the histogram's counts is too large for float64");
  }
  return ValueDistribution(std::move(kept), count);
}

ValueDistribution::ValueDistribution(std::vector<ValueBin> bins, double count) : count_(count) {
  pieces_.reserve(bins.size());
  double below = 0;
  for (const ValueBin& bin : bins) {
    below += bin.count;
    pieces_.push_back({bin.low, bin.high, below / count});
    mean_ += bin.count / count * (bin.low + bin.high) / 2;
  }
  pieces_.back().end = 1;
  double square = 0, variance = 0;
  for (const ValueBin& bin : bins) {
    const double share = bin.count / count;
    square += share * MeanSquare(bin.low, bin.high);
    variance += share * MeanSquare(bin.low - mean_, bin.high - mean_);
  }
  root_mean_square_ = std::sqrt(square);
  deviation_ = std::sqrt(variance);
}

double ValueDistribution::ShareBelow(double x) const {
  const auto piece = std::ranges::partition_point(
      pieces_, [&](const Piece& candidate) { return candidate.high <= x; });
  const double start = piece == pieces_.begin() ? 0 : (piece - 1)->end;
  if (piece == pieces_.end() || x <= piece->low) return start;
  return start + (piece->end - start) * (x - piece->low) / (piece->high - piece->low);
}

double ValueDistribution::Quantile(double share) const {
  const auto piece = std::ranges::partition_point(
      pieces_, [&](const Piece& candidate) { return candidate.end < share; });
  if (piece == pieces_.end()) return max();
  const double start = piece == pieces_.begin() ? 0 : (piece - 1)->end;
  const double part = piece->end > start ? (share - start) / (piece->end - start) : 0;
  return piece->low + std::clamp(part, 0.0, 1.0) * (piece->high - piece->low);
}

ValueDistribution ValueDistribution::Scaled(double scale, double shift) const {
  CBOARD_CHECK(scale > 0);
  std::vector<ValueBin> bins;
  double below = 0;
  for (const Piece& piece : pieces_) {
    bins.push_back(
        {scale * piece.low + shift, scale * piece.high + shift, (piece.end - below) * count_});
    below = piece.end;
  }
  return ValueDistribution(std::move(bins), count_);
}

ValueDistribution ValueDistribution::Clamped(double low, double high) const {
  std::vector<ValueBin> bins;
  const auto add = [&](double from, double to, double share) {
    if (share > 0) bins.push_back({from, to, share * count_});
  };
  const double below = ShareBelow(low);
  add(low, low, below);
  double done = below;
  for (const Piece& piece : pieces_) {
    if (piece.end <= done || piece.low >= high) continue;
    const double end = piece.high <= high ? piece.end : ShareBelow(high);
    add(std::max(piece.low, low), std::min(piece.high, high), end - done);
    done = end;
  }
  add(high, high, 1 - done);
  return ValueDistribution(std::move(bins), count_);
}

ValueDistribution ValueDistribution::Rounded(double low, double high, int codes) const {
  CBOARD_CHECK(codes >= 2);
  const double step = (high - low) / (codes - 1);
  std::vector<ValueBin> bins;
  double done = 0;
  for (int code = 0; code < codes; ++code) {
    const double value = low + code * step;
    const double end = code + 1 == codes ? 1 : ShareBelow(value + step / 2);
    if (end > done) bins.push_back({value, value, (end - done) * count_});
    done = std::max(done, end);
  }
  return ValueDistribution(std::move(bins), count_);
}

double ValueDistribution::ShareWithin(double reach) const {
  return ShareBelow(reach) - ShareBelow(std::nextafter(-reach, -HUGE_VAL));
}

double ValueDistribution::ShareOfZeros() const {
  // Limit for zeros, as a share of the root mean square; far below any quantization step.
  constexpr double kNothing = 1e-6;
  return ShareWithin(kNothing * root_mean_square_);
}

ValueDistribution ValueDistribution::WithSmallestZero(double share) const {
  double low = 0, high = std::max(std::abs(min()), std::abs(max()));
  constexpr int kHalvings = 50;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (ShareWithin(middle) < share ? low : high) = middle;
  }
  return Zeroed(high, 0);
}

ValueDistribution ValueDistribution::WithSomeZero(double share) const { return Zeroed(0, share); }

ValueDistribution ValueDistribution::Zeroed(double reach, double share) const {
  std::vector<ValueBin> negative, positive;
  double start = 0, kept = 0;
  const auto keep = [&](const Piece& piece, double low, double high, std::vector<ValueBin>& bins) {
    if (low > high || (low == high && std::abs(low) <= reach)) return;
    const double part = piece.high > piece.low ? (high - low) / (piece.high - piece.low) : 1;
    bins.push_back({low, high, (piece.end - start) * part * (1 - share) * count_});
    kept += bins.back().count;
  };
  for (const Piece& piece : pieces_) {
    keep(piece, piece.low, std::min(piece.high, -reach), negative);
    keep(piece, std::max(piece.low, reach), piece.high, positive);
    start = piece.end;
  }
  if (kept < count_) negative.push_back({0, 0, count_ - kept});
  negative.insert(negative.end(), positive.begin(), positive.end());
  return ValueDistribution(std::move(negative), count_);
}

// Calls visit(share, d0, d1) for every interval in which both quantile functions are linear. In the
// interval, the difference of the two functions changes from d0 to d1.
template <typename Visit>
void ValueDistribution::ForEachCommonPiece(const ValueDistribution& a, const ValueDistribution& b,
                                           Visit&& visit) {
  std::size_t i = 0, j = 0;
  double done = 0, start_a = 0, start_b = 0;
  const auto value = [](const Piece& piece, double start, double share) {
    const double width = piece.end - start;
    const double part = width > 0 ? std::clamp((share - start) / width, 0.0, 1.0) : 0;
    return piece.low + part * (piece.high - piece.low);
  };
  while (i < a.pieces_.size() && j < b.pieces_.size()) {
    const Piece& x = a.pieces_[i];
    const Piece& y = b.pieces_[j];
    const double end = std::min(x.end, y.end);
    if (end > done) {
      visit(end - done, value(x, start_a, done) - value(y, start_b, done),
            value(x, start_a, end) - value(y, start_b, end));
    }
    done = std::max(done, end);
    if (x.end <= end) {
      start_a = x.end;
      ++i;
    }
    if (y.end <= end) {
      start_b = y.end;
      ++j;
    }
  }
}

double Wasserstein1(const ValueDistribution& a, const ValueDistribution& b) {
  double distance = 0;
  ValueDistribution::ForEachCommonPiece(
      a, b, [&](double share, double d0, double d1) { distance += share * MeanMagnitude(d0, d1); });
  return distance;
}

double Wasserstein2(const ValueDistribution& a, const ValueDistribution& b) {
  double square = 0;
  ValueDistribution::ForEachCommonPiece(
      a, b, [&](double share, double d0, double d1) { square += share * MeanSquare(d0, d1); });
  return std::sqrt(square);
}

}  // namespace cboard::analysis
