#include "quantize/rounding/block_weights.h"

#include <algorithm>
#include <cmath>

#include "quantize/rounding/matrix_product.h"

namespace cboard::quantize {
namespace {

struct BlockRange {
  float scale = 1;
  int zero_point = 0;
};

int CodeOf(float value, const BlockRange& range, int max_code) {
  const float code = std::nearbyint(value / range.scale) + static_cast<float>(range.zero_point);
  return static_cast<int>(std::clamp(code, 0.0f, static_cast<float>(max_code)));
}

BlockRange RangeOf(float low, float high, int max_code) {
  BlockRange range;
  low = std::min(low, 0.0f);
  high = std::max(high, 0.0f);
  if (high <= low) return range;
  range.scale = (high - low) / static_cast<float>(max_code);
  range.zero_point = std::clamp(static_cast<int>(std::nearbyint(-low / range.scale)), 0, max_code);
  return range;
}

}  // namespace

std::string BlockWeights::PackedCodes() const {
  const std::size_t block_bytes = block_size * static_cast<std::size_t>(bits) / 8;
  std::string packed(outputs * blocks() * block_bytes, '\0');
  for (std::size_t n = 0; n < outputs; ++n) {
    for (std::size_t k = 0; k < inputs; ++k) {
      const std::uint8_t code = codes[n * inputs + k];
      const std::size_t block = n * blocks() + k / block_size, place = k % block_size;
      char& byte = packed[block * block_bytes + (bits == 4 ? place / 2 : place)];
      byte = static_cast<char>(static_cast<std::uint8_t>(byte) |
                               (bits == 4 && place % 2 == 1 ? code << 4 : code));
    }
  }
  return packed;
}

std::string BlockWeights::PackedZeroPoints() const {
  if (bits == 8) return {zero_points.begin(), zero_points.end()};
  const std::size_t row_bytes = (blocks() + 1) / 2;
  std::string packed(outputs * row_bytes, '\0');
  for (std::size_t n = 0; n < outputs; ++n) {
    for (std::size_t b = 0; b < blocks(); ++b) {
      char& byte = packed[n * row_bytes + b / 2];
      const std::uint8_t code = zero_points[n * blocks() + b];
      byte = static_cast<char>(static_cast<std::uint8_t>(byte) | (b % 2 == 1 ? code << 4 : code));
    }
  }
  return packed;
}

float BlockWeights::Dequantized(std::size_t output, std::size_t input) const {
  const std::size_t block = output * blocks() + input / block_size;
  return (static_cast<float>(codes[output * inputs + input]) -
          static_cast<float>(zero_points[block])) *
         scales[block];
}

BlockWeights QuantizeInBlocks(std::span<const float> weights, std::size_t inputs,
                              std::size_t outputs, int bits, std::size_t block_size,
                              std::span<const double> importance) {
  BlockWeights result{.inputs = inputs, .outputs = outputs, .bits = bits, .block_size = block_size};
  result.scales.resize(outputs * result.blocks());
  result.zero_points.resize(outputs * result.blocks());
  result.codes.resize(outputs * inputs);
  const int max_code = (1 << bits) - 1;
  std::vector<float> values;
  for (std::size_t n = 0; n < outputs; ++n) {
    for (std::size_t block = 0; block < result.blocks(); ++block) {
      const std::size_t first = block * block_size, last = std::min(inputs, first + block_size);
      values.clear();
      for (std::size_t k = first; k < last; ++k) values.push_back(weights[k * outputs + n]);
      const auto [low, high] = std::ranges::minmax(values);
      BlockRange best = RangeOf(low, high, max_code);
      double least = -1;
      for (const float factor : {1.0f, 0.95f, 0.9f, 0.85f, 0.8f, 0.75f}) {
        const BlockRange range = RangeOf(low * factor, high * factor, max_code);
        double error = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
          const double difference =
              static_cast<double>(CodeOf(values[i], range, max_code) - range.zero_point) *
                  range.scale -
              values[i];
          error += difference * difference * (importance.empty() ? 1 : importance[first + i]);
        }
        if (least >= 0 && error >= least) continue;
        least = error;
        best = range;
        if (bits == 8) break;  // With 8 bits, a search gains too little.
      }
      result.scales[n * result.blocks() + block] = best.scale;
      result.zero_points[n * result.blocks() + block] = static_cast<std::uint8_t>(best.zero_point);
      for (std::size_t k = first; k < last; ++k) {
        result.codes[n * inputs + k] =
            static_cast<std::uint8_t>(CodeOf(values[k - first], best, max_code));
      }
    }
  }
  return result;
}

namespace {

// Number of rows and columns that are processed together, so that most of the work is matrix
// products.
constexpr std::size_t kTile = 64;

// Computes the lower Cholesky factor of the tile at `first`, in place. Returns false if it is not
// positive definite.
bool FactorizeTile(float* matrix, std::size_t size, std::size_t first, std::size_t end) {
  for (std::size_t i = first; i < end; ++i) {
    float* const row = matrix + i * size;
    for (std::size_t j = first; j <= i; ++j) {
      const float* const other = matrix + j * size;
      double sum = row[j];
      for (std::size_t k = first; k < j; ++k) sum -= static_cast<double>(row[k]) * other[k];
      if (i == j && !(sum > 0)) return false;
      row[j] = static_cast<float>(i == j ? std::sqrt(sum) : sum / other[j]);
    }
  }
  return true;
}

// Computes the lower Cholesky factor in place; elements above the diagonal do not change. Returns
// false if the matrix is not positive definite.
bool Factorize(std::vector<float>& matrix, std::size_t size) {
  std::vector<float> turned;
  for (std::size_t first = 0; first < size; first += kTile) {
    const std::size_t end = std::min(size, first + kTile), width = end - first, below = size - end;
    if (!FactorizeTile(matrix.data(), size, first, end)) return false;
    turned.resize(width * below);
    for (std::size_t i = end; i < size; ++i) {
      float* const row = matrix.data() + i * size;
      for (std::size_t j = first; j < end; ++j) {
        const float* const other = matrix.data() + j * size;
        double sum = row[j];
        for (std::size_t k = first; k < j; ++k) sum -= static_cast<double>(row[k]) * other[k];
        row[j] = static_cast<float>(sum / other[j]);
        turned[(j - first) * below + (i - end)] = row[j];
      }
    }
    for (std::size_t row = end; row < size; row += kTile) {
      const std::size_t rows = std::min(kTile, size - row);
      float* const out = matrix.data() + row * size;
      AddProduct(-1, {out + first, static_cast<std::ptrdiff_t>(size)}, turned.data(), below,
                 out + end, size, rows, row + rows - end, width);
    }
  }
  return true;
}

// Returns the inverse of a lower triangular matrix; reads only the lower part.
std::vector<float> InverseOfLower(const std::vector<float>& lower, std::size_t size) {
  std::vector<float> inverse(size * size);
  for (std::size_t first = 0; first < size; first += kTile) {
    const std::size_t end = std::min(size, first + kTile);
    for (std::size_t i = first; i < end; ++i) inverse[i * size + i] = 1;
    for (std::size_t k = 0; k < first; k += kTile) {
      AddProduct(-1, {lower.data() + first * size + k, static_cast<std::ptrdiff_t>(size)},
                 inverse.data() + k * size, size, inverse.data() + first * size, size, end - first,
                 k + kTile, kTile);
    }
    for (std::size_t i = first; i < end; ++i) {
      float* const out = inverse.data() + i * size;
      for (std::size_t k = first; k < i; ++k) {
        const float factor = lower[i * size + k];
        const float* const from = inverse.data() + k * size;
        for (std::size_t j = 0; j <= k; ++j) out[j] -= factor * from[j];
      }
      const float diagonal = lower[i * size + i];
      for (std::size_t j = 0; j <= i; ++j) out[j] /= diagonal;
    }
  }
  return inverse;
}

}  // namespace

bool RoundByGptq(std::span<const float> weights, std::span<const double> gram,
                 BlockWeights& rounded) {
  const std::size_t size = rounded.inputs, outputs = rounded.outputs;
  if (gram.size() != size * size) return false;
  // J reverses the order: J H J = L L^T gives H^-1 = U^T U with the upper triangular U = J L^-1 J,
  // whose rows are the factors that GPTQ needs.
  std::vector<float> reversed(size * size);
  double trace = 0;
  for (std::size_t i = 0; i < size; ++i) trace += gram[i * size + i];
  const double mean = trace / static_cast<double>(size);
  if (!(mean > 0)) return false;
  // Increases the damping until float32 can factorize the matrix.
  bool is_factorized = false;
  for (const double damping : {0.01, 0.1}) {
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) {
        reversed[i * size + j] = static_cast<float>(
            gram[(size - 1 - i) * size + (size - 1 - j)] / mean + (i == j ? damping : 0));
      }
    }
    is_factorized = Factorize(reversed, size);
    if (is_factorized) break;
  }
  if (!is_factorized) return false;
  const std::vector<float> inverse = InverseOfLower(reversed, size);
  // The matrix U is the inverse in reverse order.
  const auto upper = [&](std::size_t i, std::size_t j) {
    return inverse[(size - 1 - i) * size + (size - 1 - j)];
  };
  std::vector<float> remaining(weights.begin(), weights.end());  // [K, N]
  std::vector<float> errors(kTile * outputs);
  const int max_code = (1 << rounded.bits) - 1;
  for (std::size_t first = 0; first < size; first += kTile) {
    const std::size_t end = std::min(size, first + kTile);
    for (std::size_t k = first; k < end; ++k) {
      const float diagonal = upper(k, k);
      float* const row = remaining.data() + k * outputs;
      float* const error = errors.data() + (k - first) * outputs;
      for (std::size_t n = 0; n < outputs; ++n) {
        const std::size_t block = n * rounded.blocks() + k / rounded.block_size;
        const BlockRange range{rounded.scales[block], rounded.zero_points[block]};
        const int code = CodeOf(row[n], range, max_code);
        rounded.codes[n * size + k] = static_cast<std::uint8_t>(code);
        const float value = static_cast<float>(code - range.zero_point) * range.scale;
        error[n] = (row[n] - value) / diagonal;
      }
      // Rows of this tile get the error immediately, the others when the tile is finished.
      for (std::size_t j = k + 1; j < end; ++j) {
        const float factor = upper(k, j);
        float* const later = remaining.data() + j * outputs;
        for (std::size_t n = 0; n < outputs; ++n) later[n] -= factor * error[n];
      }
    }
    if (end == size) break;
    const StridedMatrix factors{inverse.data() + (size - 1 - first) * size + (size - 1 - end), -1,
                                -static_cast<std::ptrdiff_t>(size)};
    AddProduct(-1, factors, errors.data(), outputs, remaining.data() + end * outputs, outputs,
               size - end, outputs, end - first);
  }
  return true;
}

}  // namespace cboard::quantize
