// Inner loops of quantizer_trial.h, which compute the range of values and the code of each value.
// The loops are compiled for every generation of x86-64 and ARM processors; the program selects one
// at run time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace cboard::tensor {

// The smallest range that contains 0 and all finite values.
struct FiniteRange {
  float low = 0;
  float high = 0;
  std::size_t count = 0;
};
FiniteRange FiniteRangeOf(std::span<const float> values);

// Quantization parameters. The code of a value is round(value / step) + zero, limited to [min,
// max]; halves are rounded to even.
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
