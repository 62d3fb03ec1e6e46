// SimHash: finds similar vectors among many without comparing all pairs.
//
// A hash has one bit for each of many random planes: the side of the plane on which the vector is.
// A vector and a noisy copy are on the same side of most planes; at an SQNR of 20 dB, one bit in
// thirty differs. Only vectors with equal bits for a few planes are compared, and the search is
// repeated with several sets of planes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cboard::compare {

// The SimHash of a vector: for each random plane, the side of the plane on which the vector is.
class SimHash {
 public:
  static constexpr std::size_t kPlanes = 96;

  // Hashes `rows` consecutive rows. Each row has its own planes, so factors of rows do not change
  // the hash. Takes kPlanes times as long as reading the rows, so rows should be short.
  SimHash(std::span<const float> values, std::size_t rows);

  // Creates a hash from one sum per plane: each bit is the sign of a sum.
  explicit SimHash(std::span<const float, kPlanes> sums);

  bool At(std::size_t plane) const { return (bits_[plane / 32] >> plane % 32 & 1) != 0; }

 private:
  std::array<std::uint32_t, kPlanes / 32> bits_{};
};

// Random planes for rows of one length, created once and used for many rows.
class SimHashPlanes {
 public:
  explicit SimHashPlanes(std::size_t row);

  // Returns the same hash as SimHash(row, 1), but much faster. All rows must have the length that
  // the planes have.
  SimHash HashOf(std::span<const float> row) const;

 private:
  std::vector<std::array<float, SimHash::kPlanes>> signs_;  // 1 or -1, for each element and plane.
};

// An index of hashes. It finds the hashes that are similar to a given hash.
class SimHashIndex {
 public:
  explicit SimHashIndex(std::span<const SimHash> all);

  // Returns the positions of hashes that are similar to `signs`, in ascending order. Hashes are
  // similar if they have equal bits in at least one set of planes. Returns all positions if there
  // are few hashes.
  std::vector<std::size_t> Near(const SimHash& signs) const;

  // Returns true if `is_it(position)` is true for one of the hashes that are similar to `signs`.
  // Positions are tested in any order, possibly several times.
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

  std::size_t planes_ = 0;  // Number of planes per table.
  // The positions of hashes, sorted by key, and for each key the index of its first position.
  struct Table {
    std::vector<std::uint32_t> begins, positions;
  };
  std::vector<Table> tables_;
};

}  // namespace cboard::compare
