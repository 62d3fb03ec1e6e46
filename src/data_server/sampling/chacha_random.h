// The pseudo-random numbers of TensorBoard's own data server: the ChaCha20 key stream with the key
// that Rust's rand crates (rand 0.7, rand_chacha 0.2) derive from the seed 0. With the same
// numbers, our data server and TensorBoard's keep the same points.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace cboard::data_server {

// A generator of pseudo-random numbers. A copy continues with the same numbers. Not thread-safe.
class ChaChaRandom {
 public:
  ChaChaRandom();

  std::uint32_t Next32();
  std::uint64_t Next64();

  // A uniform number in [0, bound), by the algorithm of Uniform::from(0..bound).sample() in Rust:
  // it is exact and sometimes rejects a number.
  std::uint64_t Below64(std::uint64_t bound);
  std::uint32_t Below32(std::uint32_t bound);

  // A uniform number in [low, high), by the algorithm of gen_range(low, high) in Rust: it rejects
  // more numbers and computes less.
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
