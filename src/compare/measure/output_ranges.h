// Predicts the error of other quantization ranges for a tensor: collects the values of all samples
// in narrow bins, and computes the error of quantizing these values.
//
//   ValueBins bins;
//   bins.Add(output);                                        // For each sample.
//   const CodeRange range = BestRange(bins, scheme);
//   10 * log10(energy / bins.SquaredError(GridFor(range, scheme)))
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cboard/tensor/compare.h"

namespace cboard::compare {

struct CodeRange {
  double low = 0;
  double high = 0;
};

// A histogram with narrow bins: 32 bins for each power of two. Each bin stores its count, smallest
// and largest value. Takes 4 KiB, and more if values span many powers of two, but does not grow
// with the number of values. Not thread-safe.
class ValueBins {
 public:
  void Add(std::span<const float> values);

  // The following functions ignore NaN and infinities.

  // Returns the range from the smallest to the largest value, including zero.
  CodeRange Range() const;

  // The widest gap between neighbouring values, if it is more than half of the whole range. Then
  // the values form two clusters, for example scores and the values of a mask.
  struct Gap {
    double below = 0;        // Largest value below the gap …
    double above = 0;        // … and smallest value above it.
    double share_below = 0;  // Share of values below the gap.
  };
  std::optional<Gap> WidestGap() const;

  // Returns the share of nonzero values that a quantization step of this size rounds to zero.
  double ShareRoundedToZero(double step) const;

  // Returns the squared error Σ(x - y)² of quantizing all values x to the nearest value y of the
  // grid. Values of a bin are assumed to be uniformly distributed between its smallest and its
  // largest value.
  double SquaredError(const tensor::QuantizationGrid& grid) const;

  // Returns the share of values that are more than half a step outside of the quantization range.
  double ClippedShare(const tensor::QuantizationGrid& grid) const;

 private:
  static constexpr std::size_t kPages = 1 << 9;
  static constexpr std::uint32_t kMantissaBits = 5;
  struct Bin {
    std::uint64_t count = 0;
    // Smallest and largest magnitude, stored as the bits of the float. The bits have the same order
    // as the magnitudes.
    std::uint32_t first = 0xFFFFFFFF;
    std::uint32_t last = 0;
  };
  using Page = std::array<Bin, 1 << kMantissaBits>;  // The bins of one sign and exponent.

  template <typename Visit>
  void ForEachBin(const Visit& visit) const;

  std::vector<std::unique_ptr<Page>> pages_;  // By sign and exponent; null if empty.
};

// Properties of a quantizer: its smallest and largest code, and whether it is symmetric around
// zero.
struct CodeScheme {
  std::int32_t code_min = 0;
  std::int32_t code_max = 255;
  bool is_symmetric = false;

  // Returns the scheme of a quantizer. It counts as symmetric if its codes are signed and its zero
  // point is 0.
  static CodeScheme Of(const tensor::QuantizationGrid& grid);
};

// Returns the quantization grid for a range. Zero is always a code, so both ends may move by up to
// half a step. The range is extended to include zero and, if symmetric, to have two equal sides.
tensor::QuantizationGrid GridFor(CodeRange range, const CodeScheme& scheme);

// Returns the real values of the first and the last code.
CodeRange RangeOf(const tensor::QuantizationGrid& grid);

// Returns the range with the lowest SquaredError that a search found; it is not larger than the
// range of the values. The two ends are searched in turn with decreasing steps.
CodeRange BestRange(const ValueBins& values, const CodeScheme& scheme);

}  // namespace cboard::compare
