#include "compare/pairing/sim_hash.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <numeric>

namespace cboard::compare {
namespace {

// Average number of hashes that have the same key, and maximum number of hashes of one key that a
// search returns.
constexpr std::size_t kExpectedPerKey = 16, kMaxPerKey = 64;

// Returns true if the next element of a random plane's normal vector is 1, false if it is -1.
class RandomSigns {
 public:
  bool Next() {
    random_ = random_ * 1664525u + 1013904223u;
    return random_ >> 31 != 0;
  }

 private:
  std::uint32_t random_ = 12345;
};

}  // namespace

SimHash::SimHash(std::span<const float> values, std::size_t rows) {
  if (values.empty()) return;
  const std::size_t row = values.size() / rows;
  RandomSigns random;
  std::array<float, kPlanes> sums = {};
  for (std::size_t plane = 0; plane < kPlanes; ++plane) {
    for (const float value : values.subspan(plane % rows * row, row)) {
      sums[plane] += random.Next() ? value : -value;
    }
  }
  *this = SimHash(sums);
}

SimHash::SimHash(std::span<const float, kPlanes> sums) {
  for (std::size_t plane = 0; plane < kPlanes; ++plane) {
    if (sums[plane] > 0) bits_[plane / 32] |= 1u << plane % 32;
  }
}

SimHashPlanes::SimHashPlanes(std::size_t row) : signs_(row) {
  RandomSigns random;
  for (std::size_t plane = 0; plane < SimHash::kPlanes; ++plane) {
    for (std::size_t i = 0; i < row; ++i) signs_[i][plane] = random.Next() ? 1.0f : -1.0f;
  }
}

// Computes the sums of many planes at the same time. Each sum still adds its elements in their
// order, so the result is the same as if it were computed alone.
SimHash SimHashPlanes::HashOf(std::span<const float> row) const {
  constexpr std::size_t kTogether = 32;  // Fits into the CPU registers.
  std::array<float, SimHash::kPlanes> all = {};
  for (std::size_t first = 0; first < all.size(); first += kTogether) {
    std::array<float, kTogether> sums = {};
    for (std::size_t i = 0; i < row.size(); ++i) {
      for (std::size_t j = 0; j < kTogether; ++j) sums[j] += row[i] * signs_[i][first + j];
    }
    std::ranges::copy(sums, all.begin() + static_cast<std::ptrdiff_t>(first));
  }
  return SimHash(all);
}

SimHashIndex::SimHashIndex(std::span<const SimHash> all) {
  const bool are_few = all.size() <= kMaxPerKey;
  if (!are_few) {
    planes_ = std::min<std::size_t>(std::bit_width(all.size() / kExpectedPerKey),
                                    SimHash::kPlanes / kTables);
  }
  tables_.resize(are_few ? 1 : kTables);
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    Table& table = tables_[t];
    table.begins.resize((std::size_t{1} << planes_) + 1);
    for (const SimHash& signs : all) ++table.begins[KeyOf(signs, t) + 1];
    std::partial_sum(table.begins.begin(), table.begins.end(), table.begins.begin());
    table.positions.resize(all.size());
    std::vector<std::uint32_t> next = table.begins;
    for (std::size_t i = 0; i < all.size(); ++i) {
      table.positions[next[KeyOf(all[i], t)]++] = static_cast<std::uint32_t>(i);
    }
  }
}

std::uint32_t SimHashIndex::KeyOf(const SimHash& signs, std::size_t table) const {
  std::uint32_t key = 0;
  for (std::size_t i = 0; i < planes_; ++i) {
    key = key << 1 | (signs.At(table * planes_ + i) ? 1u : 0u);
  }
  return key;
}

std::span<const std::uint32_t> SimHashIndex::PositionsIn(std::size_t table,
                                                         const SimHash& signs) const {
  const Table& among = tables_[table];
  const std::uint32_t key = KeyOf(signs, table);
  const std::size_t begin = among.begins[key], count = among.begins[key + 1] - begin;
  return std::span(among.positions).subspan(begin, std::min(count, kMaxPerKey));
}

std::vector<std::size_t> SimHashIndex::Near(const SimHash& signs) const {
  std::vector<std::size_t> near;
  for (std::size_t table = 0; table < tables_.size(); ++table) {
    std::ranges::copy(PositionsIn(table, signs), std::back_inserter(near));
  }
  std::ranges::sort(near);
  const auto repeated = std::ranges::unique(near);
  near.erase(repeated.begin(), repeated.end());
  return near;
}

}  // namespace cboard::compare
