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

// On which side of random planes something lies.
class SimHash {
 public:
  static constexpr std::size_t kPlanes = 96;

  // Hash of `rows` consecutive rows, each with its own planes: lengths of rows do not matter. Takes
  // kPlanes times as long as reading a row, so rows should be short.
  SimHash(std::span<const float> values, std::size_t rows);

  // By which side the sums of each plane are on.
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

// Finds signs that are near to others.
class SimHashIndex {
 public:
  explicit SimHashIndex(std::span<const SimHash> all);

  // Positions of those that agree about the planes of one choice, in ascending order; of few, all.
  std::vector<std::size_t> Near(const SimHash& signs) const;

  // Whether `is_it(position)` holds for one of them, in any order; some are asked for repeatedly.
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
  // Positions by key, those of a key behind each other; and where each key begins.
  struct Table {
    std::vector<std::uint32_t> begins, positions;
  };
  std::vector<Table> tables_;
};

}  // namespace cboard::compare
