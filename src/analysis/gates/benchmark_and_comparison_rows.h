// Joins two rows of a model that was benchmarked in one run and whose files were compared in
// another run. One row has accuracy and latency, the other row has sizes and layers. A contract
// checks both rows together, so a metric that only one of these rows can have does not count as
// missing in the other row.
#pragma once

#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "cboard/analysis/gates.h"

namespace cboard::analysis {

// Joins a benchmark row only with a comparison row. Two benchmark rows are not joined, because
// benchmarks of different days do not belong together.
class RowsOfModel {
 public:
  // Borrows `table`.
  RowsOfModel(const ComparisonTable& table, std::span<const LayerSubject> layers);

  // Records that this row has a logged value for the gate.
  void AddValue(std::size_t row, std::size_t gate);

  // Returns true if the other row of the same model and variant has a value for the gate.
  bool OtherRowHasValue(std::size_t row, std::size_t gate) const;

 private:
  // Key of a logged value: model, variant, true for a row from compared files, index of the gate.
  using Key = std::tuple<std::string, std::string, bool, std::size_t>;
  Key KeyOf(std::size_t row, bool is_comparison, std::size_t gate) const;

  const ComparisonTable& table_;
  std::vector<bool> is_comparison_;  // By row.
  std::set<Key> values_;
};

}  // namespace cboard::analysis
