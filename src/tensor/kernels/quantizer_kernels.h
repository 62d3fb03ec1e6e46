// The inner loops of what_if.h: which range values have, and which code each of them gets. Compiled
// for every x86-64 and ARM generation; the right one is chosen at run time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace cboard::tensor {

// Range of the finite values and 0.
struct FiniteRange {
  float low = 0;
  float high = 0;
  std::size_t count = 0;
};
FiniteRange FiniteRangeOf(std::span<const float> values);

// Codes are round(value / step) + zero, half to even, within [min, max].
struct CodeRule {
  float step = 1;
  float zero = 0;
  float min = 0;
  float max = 0;
};

// Writes as many codes as there are values. NaN becomes the first code.
void Quantize(std::span<const float> values, const CodeRule& rule, std::int8_t* codes);
void Quantize(std::span<const float> values, const CodeRule& rule, std::uint8_t* codes);
void Quantize(std::span<const float> values, const CodeRule& rule, std::int16_t* codes);
void Quantize(std::span<const float> values, const CodeRule& rule, std::uint16_t* codes);

}  // namespace cboard::tensor
