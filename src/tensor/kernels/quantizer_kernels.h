// Inner loops of quantizer_trial.h: the range of values, and the code of each value. Compiled for
// every generation of x86-64 and ARM processors and selected at run time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace cboard::tensor {

// The range that contains 0 and all finite values.
struct FiniteRange {
  float low = 0;
  float high = 0;
  std::size_t count = 0;
};
FiniteRange FiniteRangeOf(std::span<const float> values);

// Quantization parameters: codes are round(value / step) + zero, half to even, within [min, max].
struct CodeRule {
  float step = 1;
  float zero = 0;
  float min = 0;
  float max = 0;
};

// Quantizes values: writes one code per value. NaN becomes the first code.
void Quantize(std::span<const float> values, const CodeRule& rule, std::int8_t* codes);
void Quantize(std::span<const float> values, const CodeRule& rule, std::uint8_t* codes);
void Quantize(std::span<const float> values, const CodeRule& rule, std::int16_t* codes);
void Quantize(std::span<const float> values, const CodeRule& rule, std::uint16_t* codes);

}  // namespace cboard::tensor
