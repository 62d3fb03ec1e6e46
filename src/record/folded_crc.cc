// Computes CRC-32C by folding. The bytes are the coefficients of a polynomial over GF(2), with the
// first bit as the highest power. The checksum is the remainder of this polynomial modulo P, the
// polynomial of CRC-32C. Folding removes the first part of the bytes: the part is multiplied by x^n
// modulo P and added to the part that comes n bits later. The remainder stays the same. Folding
// ends when 16 bytes are left. See Gopal et al., "Fast CRC Computation for Generic Polynomials
// Using PCLMULQDQ Instruction", Intel 2009.
#include "cboard/base/check.h"
#include "record/long_crc.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include <cstring>

#define CBOARD_FOLD __attribute__((target("avx512f,avx512vl,vpclmulqdq,pclmul,sse4.2")))

namespace cboard::record {
namespace {

// Computes x^n modulo the CRC-32C polynomial, with reflected bits. The result is shifted by one
// bit, because a carry-less product of two reflected numbers is one bit too short.
constexpr std::uint64_t Power(int n) {
  std::uint32_t power = 0x80000000u;
  for (int i = 0; i < n; ++i) power = (power >> 1) ^ ((power & 1) != 0 ? 0x82F63B78u : 0);
  return std::uint64_t{power} << 1;
}

// Returns the factors that fold the two halves of a 16-byte block onto the block that comes `bits`
// bits later.
template <int bits>
CBOARD_FOLD inline __m128i Factors() {
  constexpr std::uint64_t kFirst = Power(bits + 32), kSecond = Power(bits - 32);
  return _mm_set_epi64x(static_cast<long long>(kSecond), static_cast<long long>(kFirst));
}

CBOARD_FOLD inline __m512i Load(const std::byte* at) { return _mm512_loadu_si512(at); }

CBOARD_FOLD inline __m512i Fold(__m512i bytes, __m512i factors, __m512i onto) {
  constexpr int kXorOfThree = 0x96;
  return _mm512_ternarylogic_epi64(_mm512_clmulepi64_epi128(bytes, factors, 0x00),
                                   _mm512_clmulepi64_epi128(bytes, factors, 0x11), onto,
                                   kXorOfThree);
}

CBOARD_FOLD inline __m128i Fold(__m128i bytes, __m128i factors, __m128i onto) {
  const __m128i folded = _mm_xor_si128(_mm_clmulepi64_si128(bytes, factors, 0x00),
                                       _mm_clmulepi64_si128(bytes, factors, 0x11));
  return _mm_xor_si128(folded, onto);
}

}  // namespace

bool HasFoldedCrc() {
  static const bool supported =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("vpclmulqdq") && __builtin_cpu_supports("pclmul") &&
      __builtin_cpu_supports("sse4.2");
  return supported;
}

CBOARD_FOLD std::uint32_t FoldedCrc32c(ByteSpan bytes, std::uint32_t before) {
  CBOARD_CHECK(bytes.size() >= kMinFoldedBytes);
  const std::byte* data = bytes.data();
  std::size_t size = bytes.size();
  constexpr std::size_t kAheadBytes =
      4096;  // One page, because processors do not prefetch beyond it.
  const __m512i initial = _mm512_zextsi128_si512(_mm_cvtsi32_si128(static_cast<int>(~before)));
  __m512i a = _mm512_xor_si512(Load(data), initial);
  __m512i b = Load(data + 64), c = Load(data + 128), d = Load(data + 192);
  data += 256;
  size -= 256;
  const __m512i by_256 = _mm512_broadcast_i32x4(Factors<256 * 8>());
  for (; size >= 256; data += 256, size -= 256) {
    for (std::size_t line = 0; line < 256; line += 64) {
      _mm_prefetch(reinterpret_cast<const char*>(data + kAheadBytes + line), _MM_HINT_T0);
    }
    a = Fold(a, by_256, Load(data));
    b = Fold(b, by_256, Load(data + 64));
    c = Fold(c, by_256, Load(data + 128));
    d = Fold(d, by_256, Load(data + 192));
  }
  const __m512i by_64 = _mm512_broadcast_i32x4(Factors<64 * 8>());
  d = Fold(Fold(Fold(a, by_64, b), by_64, c), by_64, d);
  for (; size >= 64; data += 64, size -= 64) d = Fold(d, by_64, Load(data));

  const __m128i by_16 = Factors<16 * 8>();
  __m128i rest = Fold(_mm512_castsi512_si128(d), by_16, _mm512_extracti32x4_epi32(d, 1));
  rest = Fold(rest, by_16, _mm512_extracti32x4_epi32(d, 2));
  rest = Fold(rest, by_16, _mm512_extracti32x4_epi32(d, 3));

  // Folding has reduced the input to the 16 bytes in `rest`. The crc32 instruction computes the
  // checksum of these bytes and of the bytes that were not folded.
  std::uint64_t crc = _mm_crc32_u64(0, static_cast<std::uint64_t>(_mm_cvtsi128_si64(rest)));
  crc = _mm_crc32_u64(crc, static_cast<std::uint64_t>(_mm_extract_epi64(rest, 1)));
  for (; size >= 8; data += 8, size -= 8) {
    std::uint64_t word;
    std::memcpy(&word, data, 8);
    crc = _mm_crc32_u64(crc, word);
  }
  auto crc32 = static_cast<std::uint32_t>(crc);
  for (; size > 0; --size, ++data) crc32 = _mm_crc32_u8(crc32, static_cast<std::uint8_t>(*data));
  return ~crc32;
}

}  // namespace cboard::record

#else

namespace cboard::record {

bool HasFoldedCrc() { return false; }

std::uint32_t FoldedCrc32c(ByteSpan, std::uint32_t) {
  CBOARD_CHECK(HasFoldedCrc());
  return 0;
}

}  // namespace cboard::record

#endif
