#include "analysis/gates/benchmark_and_comparison_rows.h"

#include <algorithm>
#include <utility>

namespace cboard::analysis {
namespace {

constexpr std::string_view kSizeOfFile = "model_size_mb";

// Returns the run in which the size, and no other metric, was logged; empty if there is none.
std::string_view RunOfSizeAlone(const ComparisonTable& table, const TableRow& row) {
  std::string_view run;
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    if (!row.cells[i]) continue;
    if (table.metrics[i].key != kSizeOfFile) return {};
    run = row.cells[i]->source.run;
  }
  return run;
}

}  // namespace

// Finds the rows of file comparisons: `compare --logdir` logs a size and layers in the same run.
RowsOfModel::RowsOfModel(const ComparisonTable& table, std::span<const LayerSubject> layers)
    : table_(table) {
  std::set<std::tuple<std::string_view, std::string, std::string_view>> logged;
  for (const LayerSubject& subject : layers) {
    logged.emplace(subject.run, ModelKeyOf(subject.model), subject.variant);
  }
  for (const TableRow& row : table.rows) {
    is_comparison_.push_back(
        logged.contains({RunOfSizeAlone(table, row), ModelKeyOf(row.model), row.variant}));
  }
}

void RowsOfModel::AddValue(std::size_t row, std::size_t gate) {
  values_.insert(KeyOf(row, is_comparison_[row], gate));
}

bool RowsOfModel::OtherRowHasValue(std::size_t row, std::size_t gate) const {
  return values_.contains(KeyOf(row, !is_comparison_[row], gate));
}

RowsOfModel::Key RowsOfModel::KeyOf(std::size_t row, bool is_comparison, std::size_t gate) const {
  return {ModelKeyOf(table_.rows[row].model), table_.rows[row].variant, is_comparison, gate};
}

}  // namespace cboard::analysis
