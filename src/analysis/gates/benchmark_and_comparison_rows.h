// Where a model was benchmarked and, elsewhere, its files were compared, the table has two models
// of that name: one has accuracy and latency, the other the files' sizes and the layers. A contract
// is about both together: what only one half can have is not missing in the other.
#pragma once

#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "cboard/analysis/gates.h"

namespace cboard::analysis {

// Halves of a kind, such as the benchmarks of two days, do not speak for each other.
class RowsOfModel {
 public:
  // Borrows `table`.
  RowsOfModel(const ComparisonTable& table, std::span<const LayerSubject> layers);

  // A value for `gate` was logged in this row.
  void AddValue(std::size_t row, std::size_t gate);

  // Whether one was in a row of the same model and variant that is of the other kind.
  bool OtherRowHasValue(std::size_t row, std::size_t gate) const;

 private:
  // Model, variant, whether the row is that of compared files, gate.
  using Key = std::tuple<std::string, std::string, bool, std::size_t>;
  Key KeyOf(std::size_t row, bool is_comparison, std::size_t gate) const;

  const ComparisonTable& table_;
  std::vector<bool> is_comparison_;  // By row.
  std::set<Key> values_;
};

}  // namespace cboard::analysis
