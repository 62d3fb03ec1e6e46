// Quantizes weights in blocks along the inputs of a matrix product, each with a scale and a zero
// point, in the format of ONNX Runtime's MatMulNBits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cboard::quantize {

struct BlockWeights {
  std::size_t inputs = 0;   // K
  std::size_t outputs = 0;  // N
  int bits = 4;
  std::size_t block_size = 32;
  std::vector<float> scales;              // [N, blocks]
  std::vector<std::uint8_t> zero_points;  // [N, blocks], one code each.
  std::vector<std::uint8_t> codes;        // [N, K], one code each.

  std::size_t blocks() const { return (inputs + block_size - 1) / block_size; }
  // Returns the codes as the operator stores them: [N, blocks, block_size * bits / 8] bytes.
  std::string PackedCodes() const;
  std::string PackedZeroPoints() const;
  float Dequantized(std::size_t output, std::size_t input) const;
};

// Rounds to nearest; `weights` is [K, N]. Narrows the range of a block if that lowers its squared
// error, weighted by the `importance` of the inputs (empty: all equal).
BlockWeights QuantizeInBlocks(std::span<const float> weights, std::size_t inputs,
                              std::size_t outputs, int bits, std::size_t block_size,
                              std::span<const double> importance = {});

// Rounds with GPTQ: one input after the other, moving the error to the following inputs by the
// inverse of the inputs' Gram matrix [K, K]. Returns false and does not change `rounded` if the
// matrix is singular even after damping, for example with fewer rows than inputs.
bool RoundByGptq(std::span<const float> weights, std::span<const double> gram,
                 BlockWeights& rounded);

}  // namespace cboard::quantize
