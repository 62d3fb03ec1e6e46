#include "model/storage/ggml_blocks.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "cboard/base/check.h"
#include "cboard/tensor/convert.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/storage/ggml_blocks.cc"
#include <hwy/foreach_target.h>
// Highway requires that foreach_target is included first.
#include <hwy/highway.h>

// Plain loops over consecutive bytes, which the compiler vectorizes for each instruction set.
HWY_BEFORE_NAMESPACE();
namespace cboard::model {
namespace HWY_NAMESPACE {

using Byte = std::uint8_t;

constexpr std::size_t kMaxBlock = 256;

template <typename T>
T Load(const Byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}
float Half(const Byte* bytes) { return HalfToFloat(Load<std::uint16_t>(bytes)); }
float Signed(Byte byte) { return static_cast<float>(static_cast<std::int8_t>(byte)); }
float ToFloat(int code) { return static_cast<float>(code); }

// The values of the IQ4 codes. They are denser near zero.
constexpr std::array<float, 16> kIq4Values = {-127, -104, -83, -65, -49, -35, -22, -10,
                                              1,    13,   25,  38,  53,  69,  89,  113};
// The values of the 4-bit float E2M1, multiplied by two, so that they are integers.
constexpr std::array<float, 16> kMxfp4Values = {0, 1,  2,  3,  4,  6,  8,  12,
                                                0, -1, -2, -3, -4, -6, -8, -12};

void ReadQ4_0(const Byte* HWY_RESTRICT block, float* HWY_RESTRICT out) {
  const float d = Half(block);
  const Byte* const codes = block + 2;
  for (int i = 0; i < 16; ++i) out[i] = d * ToFloat((codes[i] & 0xF) - 8);
  for (int i = 0; i < 16; ++i) out[16 + i] = d * ToFloat((codes[i] >> 4) - 8);
}

void ReadQ4_1(const Byte* HWY_RESTRICT block, float* HWY_RESTRICT out) {
  const float d = Half(block), m = Half(block + 2);
  const Byte* const codes = block + 4;
  for (int i = 0; i < 16; ++i) out[i] = d * ToFloat(codes[i] & 0xF) + m;
  for (int i = 0; i < 16; ++i) out[16 + i] = d * ToFloat(codes[i] >> 4) + m;
}

// Extracts the fifth bit of code i. One number contains the fifth bits of 32 codes.
int Fifth(std::uint32_t high, int i) { return static_cast<int>((high >> i & 1) << 4); }

void ReadQ5_0(const Byte* HWY_RESTRICT block, float* HWY_RESTRICT out) {
  const float d = Half(block);
  const auto high = Load<std::uint32_t>(block + 2);
  const Byte* const codes = block + 6;
  for (int i = 0; i < 16; ++i) out[i] = d * ToFloat(((codes[i] & 0xF) | Fifth(high, i)) - 16);
  for (int i = 0; i < 16; ++i) {
    out[16 + i] = d * ToFloat(((codes[i] >> 4) | Fifth(high, 16 + i)) - 16);
  }
}

void ReadQ5_1(const Byte* HWY_RESTRICT block, float* HWY_RESTRICT out) {
  const float d = Half(block), m = Half(block + 2);
  const auto high = Load<std::uint32_t>(block + 4);
  const Byte* const codes = block + 8;
  for (int i = 0; i < 16; ++i) out[i] = d * ToFloat((codes[i] & 0xF) | Fifth(high, i)) + m;
  for (int i = 0; i < 16; ++i) {
    out[16 + i] = d * ToFloat((codes[i] >> 4) | Fifth(high, 16 + i)) + m;
  }
}

void ReadQ8_0(const Byte* HWY_RESTRICT block, float* HWY_RESTRICT out) {
  const float d = Half(block);
  for (int i = 0; i < 32; ++i) out[i] = Signed(block[2 + i]) * d;
}

void ReadTable(const std::array<float, 16>& table, float d, const Byte* HWY_RESTRICT codes,
               float* HWY_RESTRICT out) {
  for (int i = 0; i < 16; ++i) out[i] = d * table[codes[i] & 0xF];
  for (int i = 0; i < 16; ++i) out[16 + i] = d * table[codes[i] >> 4];
}

void ReadIq4Nl(const Byte* HWY_RESTRICT block, float* HWY_RESTRICT out) {
  ReadTable(kIq4Values, Half(block), block + 2, out);
}

void ReadMxfp4(const Byte* HWY_RESTRICT block, float* HWY_RESTRICT out) {
  // Computes half of 2^(e - 127), because the values in the table are doubled. For the two smallest
  // e, the result is subnormal.
  const std::uint32_t e = block[0];
  const float d = std::bit_cast<float>(e < 2 ? 0x00200000u << e : (e - 1) << 23);
  ReadTable(kMxfp4Values, d, block + 1, out);
}

// The position and the shift of the sixteen codes of a group. A code has two bits. For each 128
// elements there are 32 bytes: their lowest two bits are the first 32 codes, the next two bits are
// the next 32 codes, and so on.
struct TwoBits {
  explicit TwoBits(int group) : begin(group / 8 * 32 + group % 2 * 16), shift(group % 8 / 2 * 2) {}
  int begin, shift;
};

void ReadQ2_K(const Byte* HWY_RESTRICT block, float* HWY_RESTRICT out) {
  const float d = Half(block + 80), min = Half(block + 82);
  for (int group = 0; group < 16; ++group, out += 16) {
    const float dl = d * ToFloat(block[group] & 0xF), ml = min * ToFloat(block[group] >> 4);
    const TwoBits low(group);
    const Byte* const codes = block + 16 + low.begin;
    for (int i = 0; i < 16; ++i) out[i] = dl * ToFloat(codes[i] >> low.shift & 0x3) - ml;
  }
}

void ReadQ3_K(const Byte* HWY_RESTRICT block, float* HWY_RESTRICT out) {
  const float d = Half(block + 108);
  for (int group = 0; group < 16; ++group, out += 16) {
    // A scale has six bits: four of them are in the first eight bytes of scales, two are in the
    // last four bytes.
    const int scale = (block[96 + group % 8] >> (group / 8 * 4) & 0xF) |
                      (block[104 + group % 4] >> (group / 4 * 2) & 0x3) << 4;
    const float dl = d * ToFloat(scale - 32);
    const TwoBits low(group);
    const Byte* const codes = block + 32 + low.begin;
    const Byte* const high = block + group % 2 * 16;
    for (int i = 0; i < 16; ++i) {
      const int third = (high[i] >> (group / 2) & 1) << 2;
      out[i] = dl * ToFloat((codes[i] >> low.shift & 0x3) + third - 4);
    }
  }
}

// The 6-bit scale and the 6-bit minimum of group `i`. Those of eight groups are stored in twelve
// bytes.
struct ScaleAndMin {
  int scale, min;
};
ScaleAndMin ScaleAndMinOf(const Byte* bytes, int i) {
  if (i < 4) return {bytes[i] & 0x3F, bytes[4 + i] & 0x3F};
  const int low = bytes[4 + i];
  return {(low & 0xF) | (bytes[i - 4] >> 2 & 0x30), low >> 4 | (bytes[i] >> 2 & 0x30)};
}

void ReadQ4_K(const Byte* HWY_RESTRICT block, float* HWY_RESTRICT out) {
  const float d = Half(block), dmin = Half(block + 2);
  for (int group = 0; group < 8; ++group, out += 32) {
    const auto [scale, min] = ScaleAndMinOf(block + 4, group);
    const float dl = d * ToFloat(scale), ml = dmin * ToFloat(min);
    const Byte* const codes = block + 16 + group / 2 * 32;
    const int shift = group % 2 * 4;
    for (int i = 0; i < 32; ++i) out[i] = dl * ToFloat(codes[i] >> shift & 0xF) - ml;
  }
}

void ReadQ5_K(const Byte* HWY_RESTRICT block, float* HWY_RESTRICT out) {
  const float d = Half(block), dmin = Half(block + 2);
  for (int group = 0; group < 8; ++group, out += 32) {
    const auto [scale, min] = ScaleAndMinOf(block + 4, group);
    const float dl = d * ToFloat(scale), ml = dmin * ToFloat(min);
    const Byte* const codes = block + 48 + group / 2 * 32;
    const Byte* const high = block + 16;
    const int shift = group % 2 * 4;
    for (int i = 0; i < 32; ++i) {
      out[i] = dl * ToFloat((codes[i] >> shift & 0xF) | (high[i] >> group & 1) << 4) - ml;
    }
  }
}

void ReadQ6_K(const Byte* HWY_RESTRICT block, float* HWY_RESTRICT out) {
  const float d = Half(block + 208);
  for (int group = 0; group < 16; ++group, out += 16) {
    const float dl = d * Signed(block[192 + group]);
    const Byte* const codes = block + group / 8 * 64 + group % 4 * 16;
    const int shift = group % 8 / 4 * 4;
    const TwoBits upper(group);
    const Byte* const high = block + 128 + upper.begin;
    for (int i = 0; i < 16; ++i) {
      const int code = (codes[i] >> shift & 0xF) | (high[i] >> upper.shift & 0x3) << 4;
      out[i] = dl * ToFloat(code - 32);
    }
  }
}

void ReadQ8_K(const Byte* HWY_RESTRICT block, float* HWY_RESTRICT out) {
  const auto d = Load<float>(block);
  for (int i = 0; i < 256; ++i) out[i] = d * Signed(block[4 + i]);
}

void ReadIq4Xs(const Byte* HWY_RESTRICT block, float* HWY_RESTRICT out) {
  const float d = Half(block);
  const int high = Load<std::uint16_t>(block + 2);
  for (int group = 0; group < 8; ++group, out += 32) {
    const int low = block[4 + group / 2] >> (group % 2 * 4) & 0xF;
    const float dl = d * ToFloat((low | (high >> (2 * group) & 3) << 4) - 32);
    ReadTable(kIq4Values, dl, block + 8 + group * 16, out);
  }
}

// A byte contains five ternary digits. It is stored as a fraction of 256.
void ReadTq1_0(const Byte* HWY_RESTRICT block, float* HWY_RESTRICT out) {
  constexpr std::array<int, 5> kPowers = {1, 3, 9, 27, 81};
  const float d = Half(block + 52);
  const auto read = [&](const Byte* bytes, int count, int digits) HWY_ATTR {
    for (int digit = 0; digit < digits; ++digit, out += count) {
      const int power = kPowers[static_cast<std::size_t>(digit)];
      for (int i = 0; i < count; ++i) {
        out[i] = d * ToFloat(((bytes[i] * power & 0xFF) * 3 >> 8) - 1);
      }
    }
  };
  read(block, 32, 5);
  read(block + 32, 16, 5);
  read(block + 48, 4, 4);
}

void ReadTq2_0(const Byte* HWY_RESTRICT block, float* HWY_RESTRICT out) {
  const float d = Half(block + 64);
  for (int group = 0; group < 16; ++group, out += 16) {
    const TwoBits low(group);
    const Byte* const codes = block + low.begin;
    for (int i = 0; i < 16; ++i) out[i] = d * ToFloat((codes[i] >> low.shift & 0x3) - 1);
  }
}

using BlockReader = void (*)(const Byte*, float*);

BlockReader ReaderOf(DType type) {
  switch (type) {
    case DType::kQ4_0:
      return ReadQ4_0;
    case DType::kQ4_1:
      return ReadQ4_1;
    case DType::kQ5_0:
      return ReadQ5_0;
    case DType::kQ5_1:
      return ReadQ5_1;
    case DType::kQ8_0:
      return ReadQ8_0;
    case DType::kQ2_K:
      return ReadQ2_K;
    case DType::kQ3_K:
      return ReadQ3_K;
    case DType::kQ4_K:
      return ReadQ4_K;
    case DType::kQ5_K:
      return ReadQ5_K;
    case DType::kQ6_K:
      return ReadQ6_K;
    case DType::kQ8_K:
      return ReadQ8_K;
    case DType::kIq4Nl:
      return ReadIq4Nl;
    case DType::kIq4Xs:
      return ReadIq4Xs;
    case DType::kTq1_0:
      return ReadTq1_0;
    case DType::kTq2_0:
      return ReadTq2_0;
    case DType::kMxfp4:
      return ReadMxfp4;
    default:
      return nullptr;
  }
}

void ReadAll(DType type, const Byte* data, std::size_t first, std::span<float> out) {
  const BlockReader read = ReaderOf(type);
  CBOARD_CHECK(read != nullptr);
  const ElementLayout layout = LayoutOf(type);
  std::array<float, kMaxBlock> buffer;
  while (!out.empty()) {
    const Byte* const block = data + first / layout.elements * layout.bytes;
    const std::size_t begin = first % layout.elements;
    const std::size_t count = std::min(layout.elements - begin, out.size());
    if (count == layout.elements) {
      read(block, out.data());
    } else {
      read(block, buffer.data());
      std::copy_n(buffer.begin() + static_cast<std::ptrdiff_t>(begin), count, out.begin());
    }
    first += count;
    out = out.subspan(count);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace cboard::model
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cboard::model {

HWY_EXPORT(ReadAll);

void ReadBlocks(DType type, ByteSpan data, std::size_t first, std::span<float> out) {
  HWY_DYNAMIC_DISPATCH(ReadAll)
  (type, reinterpret_cast<const std::uint8_t*>(data.data()), first, out);
}

}  // namespace cboard::model
#endif  // HWY_ONCE
