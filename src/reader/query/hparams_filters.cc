#include "reader/query/hparams_filters.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "cboard/base/strings.h"
#include "cboard/reader/run_query.h"

namespace cboard::reader {
namespace {

using proto::HParamValue;
using Cell = std::optional<HParamValue>;  // nullopt: the group has no value in this column.

// Returns the number of a value. As in Python, booleans are 0 and 1.
std::optional<double> NumberOf(const HParamValue& value) {
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? 1.0 : 0.0;
  return std::nullopt;
}

bool AreEqual(const HParamValue& a, const HParamValue& b) {
  const auto x = NumberOf(a), y = NumberOf(b);
  if (x || y) return x && y && *x == *y;
  return std::get<std::string>(a) == std::get<std::string>(b);
}

// Compares two values. Numbers come before texts, and NaN comes after all other numbers, so that
// the order is a strict weak order.
bool IsLess(const HParamValue& a, const HParamValue& b) {
  const auto x = NumberOf(a), y = NumberOf(b);
  if (x && y) return std::isnan(*y) ? !std::isnan(*x) : *x < *y;
  if (x || y) return x.has_value();
  return std::get<std::string>(a) < std::get<std::string>(b);
}

std::string NameOf(const ColumnParameters& column) {
  if (const auto* hparam = std::get_if<std::string>(&column.column)) return Quoted(*hparam);
  const auto& metric = std::get<MetricName>(column.column);
  return Quoted(metric.group.empty() ? metric.tag : metric.group + "/" + metric.tag);
}

tl::unexpected<Error> Misfit(const ColumnParameters& column, std::string_view filter,
                             std::string_view what) {
  return Fail(ErrorCode::kInvalidArgument, "column " + NameOf(column) + ": " + std::string(filter) +
                                               " cannot filter values that are " +
                                               std::string(what));
}

// A filter that is valid and ready to use.
class ColumnFilter {
 public:
  static Result<ColumnFilter> Make(const ColumnParameters& column) {
    ColumnFilter filter(column);
    if (const auto* regex = std::get_if<RegexFilter>(&column.filter)) {
      CBOARD_ASSIGN_OR_RETURN(filter.pattern_, TextPattern::Compile(regex->pattern));
    }
    return filter;
  }

  Result<bool> Accepts(const Cell& cell) const {
    if (!cell) return !column_->exclude_missing_values;
    if (pattern_) {
      const auto* text = std::get_if<std::string>(&*cell);
      if (text == nullptr) return Misfit(*column_, "a regular expression", "not texts");
      return pattern_->FoundIn(*text);
    }
    if (const auto* interval = std::get_if<IntervalFilter>(&column_->filter)) {
      const auto number = NumberOf(*cell);
      if (!number) return Misfit(*column_, "an interval", "texts");
      return interval->min <= *number && *number <= interval->max;
    }
    if (const auto* discrete = std::get_if<DiscreteFilter>(&column_->filter)) {
      return std::ranges::any_of(discrete->values,
                                 [&](const HParamValue& value) { return AreEqual(value, *cell); });
    }
    return true;
  }

 private:
  explicit ColumnFilter(const ColumnParameters& column) : column_(&column) {}
  const ColumnParameters* column_;
  std::optional<TextPattern> pattern_;
};

// Finds the cells of a column, one per group. Metrics are found by name in a map, which is faster
// than a search per group.
class CellFinder {
 public:
  CellFinder(const std::vector<SessionGroup>& groups, const std::vector<ColumnParameters>& columns)
      : groups_(groups), metrics_(groups.size()) {
    const bool any_metric = std::ranges::any_of(columns, [](const ColumnParameters& column) {
      return std::holds_alternative<MetricName>(column.column);
    });
    for (std::size_t i = 0; any_metric && i < groups.size(); ++i) {
      for (const MetricValue& metric : groups[i].metrics) {
        metrics_[i].emplace(&metric.name, metric.value);
      }
    }
  }

  Cell At(std::size_t group, const ColumnParameters& column) const {
    if (const auto* metric = std::get_if<MetricName>(&column.column)) {
      const auto found = metrics_[group].find(metric);
      return found == metrics_[group].end() ? Cell() : Cell(found->second);
    }
    const auto& hparams = groups_[group].hparams;
    const auto found = hparams.find(std::get<std::string>(column.column));
    return found == hparams.end() ? Cell() : Cell(found->second);
  }

 private:
  struct ByName {
    bool operator()(const MetricName* a, const MetricName* b) const { return *a < *b; }
  };
  const std::vector<SessionGroup>& groups_;
  std::vector<std::map<const MetricName*, double, ByName>> metrics_;
};

void SortBy(const ColumnParameters& column, const CellFinder& cells,
            std::vector<std::size_t>& order) {
  std::vector<std::pair<Cell, std::size_t>> keyed;
  keyed.reserve(order.size());
  for (const std::size_t group : order) keyed.emplace_back(cells.At(group, column), group);
  const bool descending = column.order == SortOrder::kDescending;
  std::ranges::stable_sort(keyed, [&](const auto& a, const auto& b) {
    if (!a.first || !b.first) {
      if (a.first.has_value() == b.first.has_value()) return false;
      return a.first.has_value() != column.missing_values_first;
    }
    return descending ? IsLess(*b.first, *a.first) : IsLess(*a.first, *b.first);
  });
  std::ranges::transform(keyed, order.begin(), [](const auto& entry) { return entry.second; });
}

void KeepIncluded(const std::vector<ColumnParameters>& columns, std::vector<SessionGroup>& groups) {
  const bool any_says = std::ranges::any_of(
      columns, [](const ColumnParameters& column) { return column.include_in_result.has_value(); });
  if (!any_says) return;
  std::set<std::string_view> included;
  for (const ColumnParameters& column : columns) {
    const auto* name = std::get_if<std::string>(&column.column);
    if (name != nullptr && column.include_in_result.value_or(true)) included.insert(*name);
  }
  for (SessionGroup& group : groups) {
    std::erase_if(group.hparams,
                  [&](const auto& hparam) { return !included.contains(hparam.first); });
  }
}

}  // namespace

Result<void> FilterAndSort(const std::vector<ColumnParameters>& columns,
                           std::vector<SessionGroup>& groups) {
  std::ranges::stable_sort(groups, {}, &SessionGroup::name);
  const CellFinder cells(groups, columns);
  std::vector<std::size_t> order(groups.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (const ColumnParameters& column : columns) {
    CBOARD_ASSIGN_OR_RETURN(const ColumnFilter filter, ColumnFilter::Make(column));
    std::vector<std::size_t> accepted;
    for (const std::size_t group : order) {
      CBOARD_ASSIGN_OR_RETURN(const bool accepts, filter.Accepts(cells.At(group, column)));
      if (accepts) accepted.push_back(group);
    }
    order = std::move(accepted);
  }
  // Sorts by the first column last: the sort is stable, so the last sorted column has priority.
  for (auto column = columns.rbegin(); column != columns.rend(); ++column) {
    if (column->order != SortOrder::kUnspecified) SortBy(*column, cells, order);
  }
  std::vector<SessionGroup> chosen;
  chosen.reserve(order.size());
  for (const std::size_t group : order) chosen.push_back(std::move(groups[group]));
  groups = std::move(chosen);
  KeepIncluded(columns, groups);
  return {};
}

}  // namespace cboard::reader
