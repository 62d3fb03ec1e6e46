#include "model/ggml_blocks.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "cboard/base/check.h"
#include "cboard/tensor/convert.h"

namespace cboard {
namespace {

constexpr std::size_t kMaxBlock = 256;

// A block's bytes by number.
class Block {
 public:
  explicit Block(ByteSpan bytes) : bytes_(bytes) {}

  unsigned operator[](std::size_t i) const { return std::to_integer<unsigned>(bytes_[i]); }
  int Signed(std::size_t i) const { return static_cast<std::int8_t>(bytes_[i]); }
  float Half(std::size_t i) const { return HalfToFloat(Load<std::uint16_t>(i)); }
  template <typename T>
  T Load(std::size_t i) const {
    return LoadLittleEndian<T>(bytes_.subspan(i));
  }
  // Element `i` of 32 in 16 bytes from `start`: the lower halves first, then the upper ones.
  unsigned Nibble32(std::size_t start, std::size_t i) const {
    return (*this)[start + i % 16] >> (i / 16 * 4) & 0xF;
  }
  // Element `i` of a row of 128 in 32 bytes from `start`: all lowest two bits first.
  unsigned TwoBits(std::size_t start, std::size_t i) const {
    return (*this)[start + i / 128 * 32 + i % 32] >> (i % 128 / 32 * 2) & 0x3;
  }
  // Element `i` of a row of 64 in 32 bytes from `start`: the lower halves first.
  unsigned Nibble64(std::size_t start, std::size_t i) const {
    return (*this)[start + i / 64 * 32 + i % 32] >> (i % 64 / 32 * 4) & 0xF;
  }
  // Bit i / 32 of byte i % 32.
  unsigned Bit(std::size_t start, std::size_t i) const {
    return (*this)[start + i % 32] >> (i / 32) & 1;
  }

 private:
  ByteSpan bytes_;
};

float ToFloat(unsigned code) { return static_cast<float>(code); }
float ToFloat(int code) { return static_cast<float>(code); }
int Minus(unsigned code, int offset) { return static_cast<int>(code) - offset; }

// Codes of IQ4 stand for these, which are denser near zero.
constexpr std::array<int, 16> kIq4Values = {-127, -104, -83, -65, -49, -35, -22, -10,
                                            1,    13,   25,  38,  53,  69,  89,  113};
// Twice the values of the four-bit float E2M1.
constexpr std::array<int, 16> kMxfp4Values = {0, 1,  2,  3,  4,  6,  8,  12,
                                              0, -1, -2, -3, -4, -6, -8, -12};

void ReadQ4_0(const Block& block, std::span<float> out) {
  const float d = block.Half(0);
  for (std::size_t i = 0; i < 32; ++i) out[i] = d * ToFloat(Minus(block.Nibble32(2, i), 8));
}

void ReadQ4_1(const Block& block, std::span<float> out) {
  const float d = block.Half(0), m = block.Half(2);
  for (std::size_t i = 0; i < 32; ++i) out[i] = d * ToFloat(block.Nibble32(4, i)) + m;
}

void ReadQ5_0(const Block& block, std::span<float> out) {
  const float d = block.Half(0);
  const auto high = block.Load<std::uint32_t>(2);
  for (std::size_t i = 0; i < 32; ++i) {
    out[i] = d * ToFloat(Minus(block.Nibble32(6, i) | (high >> i & 1) << 4, 16));
  }
}

void ReadQ5_1(const Block& block, std::span<float> out) {
  const float d = block.Half(0), m = block.Half(2);
  const auto high = block.Load<std::uint32_t>(4);
  for (std::size_t i = 0; i < 32; ++i) {
    out[i] = d * ToFloat(block.Nibble32(8, i) | (high >> i & 1) << 4) + m;
  }
}

void ReadQ8_0(const Block& block, std::span<float> out) {
  const float d = block.Half(0);
  for (std::size_t i = 0; i < 32; ++i) out[i] = ToFloat(block.Signed(2 + i)) * d;
}

void ReadIq4Nl(const Block& block, std::span<float> out) {
  const float d = block.Half(0);
  for (std::size_t i = 0; i < 32; ++i) out[i] = d * ToFloat(kIq4Values[block.Nibble32(2, i)]);
}

void ReadMxfp4(const Block& block, std::span<float> out) {
  // Half of 2^(e - 127), because the table holds doubled values; the two smallest are subnormal.
  const std::uint32_t e = block[0];
  const float d = std::bit_cast<float>(e < 2 ? 0x00200000u << e : (e - 1) << 23);
  for (std::size_t i = 0; i < 32; ++i) out[i] = d * ToFloat(kMxfp4Values[block.Nibble32(1, i)]);
}

void ReadQ2_K(const Block& block, std::span<float> out) {
  const float d = block.Half(80), min = block.Half(82);
  for (std::size_t group = 0; group < 16; ++group) {
    const float dl = d * ToFloat(block[group] & 0xF), ml = min * ToFloat(block[group] >> 4);
    for (std::size_t i = group * 16; i < group * 16 + 16; ++i) {
      out[i] = dl * ToFloat(block.TwoBits(16, i)) - ml;
    }
  }
}

void ReadQ3_K(const Block& block, std::span<float> out) {
  const float d = block.Half(108);
  for (std::size_t group = 0; group < 16; ++group) {
    // Six bits: four of them in the first eight bytes, two in the last four.
    const unsigned low = block[96 + group % 8] >> (group / 8 * 4) & 0xF;
    const unsigned high = block[104 + group % 4] >> (group / 4 * 2) & 0x3;
    const float dl = d * ToFloat(Minus(low | high << 4, 32));
    for (std::size_t i = group * 16; i < group * 16 + 16; ++i) {
      const int offset = block.Bit(0, i) != 0 ? 0 : 4;
      out[i] = dl * ToFloat(Minus(block.TwoBits(32, i), offset));
    }
  }
}

// The six-bit scale and minimum of group `i` of eight, in twelve bytes from `start`.
struct ScaleAndMin {
  unsigned scale, min;
};
ScaleAndMin ScaleAndMinOf(const Block& block, std::size_t start, std::size_t i) {
  if (i < 4) return {block[start + i] & 0x3F, block[start + 4 + i] & 0x3F};
  const unsigned low = block[start + 4 + i];
  return {(low & 0xF) | (block[start + i - 4] >> 2 & 0x30),
          low >> 4 | (block[start + i] >> 2 & 0x30)};
}

void ReadQ4_K(const Block& block, std::span<float> out) {
  const float d = block.Half(0), dmin = block.Half(2);
  for (std::size_t group = 0; group < 8; ++group) {
    const auto [scale, min] = ScaleAndMinOf(block, 4, group);
    const float dl = d * ToFloat(scale), ml = dmin * ToFloat(min);
    for (std::size_t i = group * 32; i < group * 32 + 32; ++i) {
      out[i] = dl * ToFloat(block.Nibble64(16, i)) - ml;
    }
  }
}

void ReadQ5_K(const Block& block, std::span<float> out) {
  const float d = block.Half(0), dmin = block.Half(2);
  for (std::size_t group = 0; group < 8; ++group) {
    const auto [scale, min] = ScaleAndMinOf(block, 4, group);
    const float dl = d * ToFloat(scale), ml = dmin * ToFloat(min);
    for (std::size_t i = group * 32; i < group * 32 + 32; ++i) {
      out[i] = dl * ToFloat(block.Nibble64(48, i) | block.Bit(16, i) << 4) - ml;
    }
  }
}

void ReadQ6_K(const Block& block, std::span<float> out) {
  const float d = block.Half(208);
  for (std::size_t group = 0; group < 16; ++group) {
    const float dl = d * ToFloat(block.Signed(192 + group));
    for (std::size_t i = group * 16; i < group * 16 + 16; ++i) {
      const unsigned low = block[i / 128 * 64 + i % 64] >> (i % 128 / 64 * 4) & 0xF;
      out[i] = dl * ToFloat(Minus(low | block.TwoBits(128, i) << 4, 32));
    }
  }
}

void ReadQ8_K(const Block& block, std::span<float> out) {
  const auto d = block.Load<float>(0);
  for (std::size_t i = 0; i < 256; ++i) out[i] = d * ToFloat(block.Signed(4 + i));
}

void ReadIq4Xs(const Block& block, std::span<float> out) {
  const float d = block.Half(0);
  const unsigned high = block.Load<std::uint16_t>(2);
  for (std::size_t group = 0; group < 8; ++group) {
    const unsigned low = block[4 + group / 2] >> (group % 2 * 4) & 0xF;
    const float dl = d * ToFloat(Minus(low | (high >> (2 * group) & 3) << 4, 32));
    for (std::size_t i = 0; i < 32; ++i) {
      out[group * 32 + i] = dl * ToFloat(kIq4Values[block.Nibble32(8 + group * 16, i)]);
    }
  }
}

// Five ternary digits to a byte, as a fraction of 256.
void ReadTq1_0(const Block& block, std::span<float> out) {
  constexpr std::array<unsigned, 5> kPowers = {1, 3, 9, 27, 81};
  const float d = block.Half(52);
  const auto digit = [&](std::size_t byte, std::size_t position) {
    return d * ToFloat(Minus((block[byte] * kPowers[position] & 0xFF) * 3 >> 8, 1));
  };
  for (std::size_t i = 0; i < 160; ++i) out[i] = digit(i % 32, i / 32);
  for (std::size_t i = 0; i < 80; ++i) out[160 + i] = digit(32 + i % 16, i / 16);
  for (std::size_t i = 0; i < 16; ++i) out[240 + i] = digit(48 + i % 4, i / 4);
}

void ReadTq2_0(const Block& block, std::span<float> out) {
  const float d = block.Half(64);
  for (std::size_t i = 0; i < 256; ++i) out[i] = d * ToFloat(Minus(block.TwoBits(0, i), 1));
}

using BlockReader = void (*)(const Block&, std::span<float>);

BlockReader ReaderOf(ElementType type) {
  switch (type) {
    case ElementType::kQ4_0:
      return ReadQ4_0;
    case ElementType::kQ4_1:
      return ReadQ4_1;
    case ElementType::kQ5_0:
      return ReadQ5_0;
    case ElementType::kQ5_1:
      return ReadQ5_1;
    case ElementType::kQ8_0:
      return ReadQ8_0;
    case ElementType::kQ2_K:
      return ReadQ2_K;
    case ElementType::kQ3_K:
      return ReadQ3_K;
    case ElementType::kQ4_K:
      return ReadQ4_K;
    case ElementType::kQ5_K:
      return ReadQ5_K;
    case ElementType::kQ6_K:
      return ReadQ6_K;
    case ElementType::kQ8_K:
      return ReadQ8_K;
    case ElementType::kIq4Nl:
      return ReadIq4Nl;
    case ElementType::kIq4Xs:
      return ReadIq4Xs;
    case ElementType::kTq1_0:
      return ReadTq1_0;
    case ElementType::kTq2_0:
      return ReadTq2_0;
    case ElementType::kMxfp4:
      return ReadMxfp4;
    default:
      return nullptr;
  }
}

}  // namespace

void ReadBlocks(ElementType type, ByteSpan data, std::size_t first, std::span<float> out) {
  const BlockReader read = ReaderOf(type);
  CBOARD_CHECK(read != nullptr);
  const ElementLayout layout = LayoutOf(type);
  std::array<float, kMaxBlock> buffer;
  while (!out.empty()) {
    const Block block(data.subspan(first / layout.elements * layout.bytes, layout.bytes));
    const std::size_t begin = first % layout.elements;
    const std::size_t count = std::min(layout.elements - begin, out.size());
    if (count == layout.elements) {
      read(block, out);
    } else {
      read(block, buffer);
      std::copy_n(buffer.begin() + static_cast<std::ptrdiff_t>(begin), count, out.begin());
    }
    first += count;
    out = out.subspan(count);
  }
}

}  // namespace cboard
