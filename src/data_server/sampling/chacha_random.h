// The random numbers of TensorBoard's own data server: the ChaCha20 key stream, with the key that
// Rust's rand crates (rand 0.7, rand_chacha 0.2) derive from the seed 0. With the same numbers we
// keep the same points as it does.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace cboard::data_server {

// A copy continues with the same numbers. Not thread-safe.
class ChaChaRandom {
 public:
  ChaChaRandom();

  std::uint32_t Next32();
  std::uint64_t Next64();

  // Uniform in [0, bound), as Uniform::from(0..bound).sample() draws it: exact, sometimes rejects.
  std::uint64_t Below64(std::uint64_t bound);
  std::uint32_t Below32(std::uint32_t bound);

  // Uniform in [low, high), as gen_range(low, high) draws it: rejects more, computes less.
  std::uint32_t Between32(std::uint32_t low, std::uint32_t high);

 private:
  static constexpr std::size_t kBlockWords = 16;

  void MakeBlock();

  std::array<std::uint32_t, 8> key_;
  std::array<std::uint32_t, kBlockWords> block_{};
  std::uint64_t next_block_ = 0;
  std::size_t used_words_ = kBlockWords;
};

}  // namespace cboard::data_server
