#include "data_server/sampling/chacha_random.h"

#include <bit>
#include <limits>

namespace cboard::data_server {
namespace {

// Computes the seed like SeedableRng::seed_from_u64(0) in Rust: from the outputs of a PCG32
// generator.
std::array<std::uint32_t, 8> KeyOfSeedZero() {
  std::array<std::uint32_t, 8> key;
  std::uint64_t state = 0;
  for (std::uint32_t& word : key) {
    state = state * 6364136223846793005u + 11634580027462260723u;
    const auto shifted = static_cast<std::uint32_t>(((state >> 18) ^ state) >> 27);
    word = std::rotr(shifted, static_cast<int>(state >> 59));
  }
  return key;
}

void QuarterRound(std::array<std::uint32_t, 16>& x, std::size_t a, std::size_t b, std::size_t c,
                  std::size_t d) {
  x[a] += x[b];
  x[d] = std::rotl(x[d] ^ x[a], 16);
  x[c] += x[d];
  x[b] = std::rotl(x[b] ^ x[c], 12);
  x[a] += x[b];
  x[d] = std::rotl(x[d] ^ x[a], 8);
  x[c] += x[d];
  x[b] = std::rotl(x[b] ^ x[c], 7);
}

template <typename Unsigned>
constexpr Unsigned kMax = std::numeric_limits<Unsigned>::max();

}  // namespace

ChaChaRandom::ChaChaRandom() : key_(KeyOfSeedZero()) {}

void ChaChaRandom::MakeBlock() {
  const std::array<std::uint32_t, kBlockWords> input = {
      0x61707865,
      0x3320646e,
      0x79622d32,
      0x6b206574,  // The constant "expand 32-byte k".
      key_[0],
      key_[1],
      key_[2],
      key_[3],
      key_[4],
      key_[5],
      key_[6],
      key_[7],
      static_cast<std::uint32_t>(next_block_),
      static_cast<std::uint32_t>(next_block_ >> 32),
      0,
      0};
  block_ = input;
  for (int i = 0; i < 10; ++i) {
    QuarterRound(block_, 0, 4, 8, 12);
    QuarterRound(block_, 1, 5, 9, 13);
    QuarterRound(block_, 2, 6, 10, 14);
    QuarterRound(block_, 3, 7, 11, 15);
    QuarterRound(block_, 0, 5, 10, 15);
    QuarterRound(block_, 1, 6, 11, 12);
    QuarterRound(block_, 2, 7, 8, 13);
    QuarterRound(block_, 3, 4, 9, 14);
  }
  for (std::size_t i = 0; i < kBlockWords; ++i) block_[i] += input[i];
  ++next_block_;
  used_words_ = 0;
}

std::uint32_t ChaChaRandom::Next32() {
  if (used_words_ == kBlockWords) MakeBlock();
  return block_[used_words_++];
}

std::uint64_t ChaChaRandom::Next64() {
  const std::uint64_t low = Next32();
  return low | std::uint64_t{Next32()} << 32;
}

std::uint64_t ChaChaRandom::Below64(std::uint64_t bound) {
  __extension__ using Wide = unsigned __int128;
  const std::uint64_t zone = kMax<std::uint64_t> - (kMax<std::uint64_t> - bound + 1) % bound;
  while (true) {
    const Wide product = static_cast<Wide>(Next64()) * bound;
    if (static_cast<std::uint64_t>(product) <= zone) {
      return static_cast<std::uint64_t>(product >> 64);
    }
  }
}

std::uint32_t ChaChaRandom::Below32(std::uint32_t bound) {
  const std::uint32_t zone = kMax<std::uint32_t> - (kMax<std::uint32_t> - bound + 1) % bound;
  while (true) {
    const std::uint64_t product = std::uint64_t{Next32()} * bound;
    if (static_cast<std::uint32_t>(product) <= zone) {
      return static_cast<std::uint32_t>(product >> 32);
    }
  }
}

std::uint32_t ChaChaRandom::Between32(std::uint32_t low, std::uint32_t high) {
  const std::uint32_t range = high - low;
  const std::uint32_t zone = (range << std::countl_zero(range)) - 1;
  while (true) {
    const std::uint64_t product = std::uint64_t{Next32()} * range;
    if (static_cast<std::uint32_t>(product) <= zone) {
      return low + static_cast<std::uint32_t>(product >> 32);
    }
  }
}

}  // namespace cboard::data_server
