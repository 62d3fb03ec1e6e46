#include "compression/model_comparison/plane_signs.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace cboard::compare {
namespace {

// So many share a key, on the average; no more than so many are looked at.
constexpr std::size_t kUsualPerKey = 16, kMostPerKey = 64;

}  // namespace

PlaneSigns::PlaneSigns(std::span<const float> values, std::size_t rows) {
  if (values.empty()) return;
  const std::size_t row = values.size() / rows;
  std::uint32_t random = 12345;
  for (std::size_t plane = 0; plane < kPlanes; ++plane) {
    float dot = 0;
    for (const float value : values.subspan(plane % rows * row, row)) {
      random = random * 1664525u + 1013904223u;
      dot += (random >> 31) != 0 ? value : -value;
    }
    if (dot > 0) bits_[plane / 32] |= 1u << plane % 32;
  }
}

SignIndex::SignIndex(std::span<const PlaneSigns> all) {
  const bool are_few = all.size() <= kMostPerKey;
  if (!are_few) {
    planes_ = std::min<std::size_t>(std::bit_width(all.size() / kUsualPerKey),
                                    PlaneSigns::kPlanes / kTables);
  }
  tables_.resize(are_few ? 1 : kTables);
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    Table& table = tables_[t];
    table.begins.resize((std::size_t{1} << planes_) + 1);
    for (const PlaneSigns& signs : all) ++table.begins[KeyOf(signs, t) + 1];
    std::partial_sum(table.begins.begin(), table.begins.end(), table.begins.begin());
    table.positions.resize(all.size());
    std::vector<std::uint32_t> next = table.begins;
    for (std::size_t i = 0; i < all.size(); ++i) {
      table.positions[next[KeyOf(all[i], t)]++] = static_cast<std::uint32_t>(i);
    }
  }
}

std::uint32_t SignIndex::KeyOf(const PlaneSigns& signs, std::size_t table) const {
  std::uint32_t key = 0;
  for (std::size_t i = 0; i < planes_; ++i) {
    key = key << 1 | (signs.At(table * planes_ + i) ? 1u : 0u);
  }
  return key;
}

std::vector<std::size_t> SignIndex::Near(const PlaneSigns& signs) const {
  std::vector<std::size_t> near;
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    const Table& table = tables_[t];
    const std::uint32_t key = KeyOf(signs, t);
    const std::size_t begin = table.begins[key];
    const std::size_t end = std::min<std::size_t>(table.begins[key + 1], begin + kMostPerKey);
    near.insert(near.end(), table.positions.begin() + static_cast<std::ptrdiff_t>(begin),
                table.positions.begin() + static_cast<std::ptrdiff_t>(end));
  }
  std::ranges::sort(near);
  const auto repeated = std::ranges::unique(near);
  near.erase(repeated.begin(), repeated.end());
  return near;
}

}  // namespace cboard::compare
