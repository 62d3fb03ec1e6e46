// Vectors that are nearly the same, found among many without comparing all with all.
//
// A vector and a noisy copy of it lie on the same side of most planes. Those that agree about a few
// planes are looked at, for several choices of planes: noise of 20 dB turns one sign in thirty.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cboard::compare {

// The sides of random planes that a vector is on.
class SimHash {
 public:
  static constexpr std::size_t kPlanes = 96;

  // Hash of `rows` consecutive rows, each with its own planes: lengths of rows do not matter. Takes
  // kPlanes times as long as reading a row, so rows should be short.
  SimHash(std::span<const float> values, std::size_t rows);

  // The sign of the sum of each plane.
  explicit SimHash(std::span<const float, kPlanes> sums);

  bool At(std::size_t plane) const { return (bits_[plane / 32] >> plane % 32 & 1) != 0; }

 private:
  std::array<std::uint32_t, kPlanes / 32> bits_{};
};

// The planes of one row, made once for many rows of one length.
class SimHashPlanes {
 public:
  explicit SimHashPlanes(std::size_t row);

  // The same result as SimHash(row, 1), many times faster.
  SimHash HashOf(std::span<const float> row) const;

 private:
  std::vector<std::array<float, SimHash::kPlanes>> signs_;  // 1 or -1, by element.
};

// Finds hashes that are close to others.
class SimHashIndex {
 public:
  explicit SimHashIndex(std::span<const SimHash> all);

  // Positions of hashes that agree about the planes of one choice, in ascending order; all
  // positions if there are few.
  std::vector<std::size_t> Near(const SimHash& signs) const;

  // Returns true if `is_it(position)` holds for one of them, in any order; a position may be tested
  // repeatedly.
  template <typename Predicate>
  bool IsNear(const SimHash& signs, const Predicate& is_it) const {
    for (std::size_t table = 0; table < tables_.size(); ++table) {
      if (std::ranges::any_of(PositionsIn(table, signs), is_it)) return true;
    }
    return false;
  }

 private:
  static constexpr std::size_t kTables = 8;

  std::uint32_t KeyOf(const SimHash& signs, std::size_t table) const;
  std::span<const std::uint32_t> PositionsIn(std::size_t table, const SimHash& signs) const;

  std::size_t planes_ = 0;  // Planes per table.
  // Positions sorted by key, and the start of each key.
  struct Table {
    std::vector<std::uint32_t> begins, positions;
  };
  std::vector<Table> tables_;
};

}  // namespace cboard::compare
