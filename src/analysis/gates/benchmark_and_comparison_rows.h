// Joins the two rows of a model that was benchmarked in one run and compared file by file in
// another: one row has accuracy and latency, the other has sizes and layers. A contract checks both
// rows together, so a metric that only one of them can have is not missing in the other.
#pragma once

#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "cboard/analysis/gates.h"

namespace cboard::analysis {

// Only rows of different kinds are joined: benchmarks of two days do not complete each other.
class RowsOfModel {
 public:
  // Borrows `table`.
  RowsOfModel(const ComparisonTable& table, std::span<const LayerSubject> layers);

  // A value for `gate` was logged in this row.
  void AddValue(std::size_t row, std::size_t gate);

  // Returns true if the row of the other kind has a value, for the same model and variant.
  bool OtherRowHasValue(std::size_t row, std::size_t gate) const;

 private:
  // Key: model, variant, whether the row comes from compared files, gate.
  using Key = std::tuple<std::string, std::string, bool, std::size_t>;
  Key KeyOf(std::size_t row, bool is_comparison, std::size_t gate) const;

  const ComparisonTable& table_;
  std::vector<bool> is_comparison_;  // By row.
  std::set<Key> values_;
};

}  // namespace cboard::analysis
