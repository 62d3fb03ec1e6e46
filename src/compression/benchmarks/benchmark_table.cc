// Reads tables: arrays of rows such as {"model": "gpt-j-6b", "config": "FP32", "hellaswag":
// 0.4954}.
#include <algorithm>
#include <array>
#include <map>

#include "cboard/base/strings.h"
#include "compression/benchmarks/benchmark_builder.h"

namespace cboard::compression {
namespace {

using simdjson::dom::element;
using simdjson::dom::object;

constexpr std::array<std::string_view, 3> kModelColumns = {"model", "model_name", "name"};
constexpr std::array<std::string_view, 3> kVariantColumns = {"config", "variant", "precision"};

// Returns the text of the first of `columns` that contains one, and stores the name of this column
// in `found`.
std::optional<std::string_view> TextOf(const object& row, std::span<const std::string_view> columns,
                                       std::string_view& found) {
  for (const std::string_view column : columns) {
    std::string_view text;
    if (row[column].get(text) == simdjson::SUCCESS) {
      found = column;
      return text;
    }
  }
  return std::nullopt;
}

// The average over several tasks is used as accuracy, because tables of language models contain it.
void TakeAverageAsAccuracy(Variant& variant) {
  const auto average = variant.metrics.find("average_accuracy");
  if (average != variant.metrics.end()) variant.metrics.emplace("accuracy", average->second);
}

}  // namespace

void ReadTable(std::string_view table, const simdjson::dom::array& rows,
               BenchmarkBuilder& builder) {
  std::vector<ModelComparison> models;
  std::map<std::string, std::size_t, std::less<>> index;  // Index into `models`, by name.
  std::size_t number = 0;
  for (const element item : rows) {
    ++number;
    const std::string where = "row " + std::to_string(number) + " of table " + Quoted(table);
    object row;
    std::string_view model_column, variant_column;
    const auto name = item.get(row) == simdjson::SUCCESS ? TextOf(row, kModelColumns, model_column)
                                                         : std::nullopt;
    if (!name) {
      builder.Skip(where, "it has no text 'model'");
      continue;
    }
    const auto variant_name = TextOf(row, kVariantColumns, variant_column);

    ModelInfo info;
    Variant variant{.name = variant_name ? NormalVariantName(*variant_name) : std::string(table),
                    .metrics = {},
                    .latencies_ms = {}};
    for (const auto [key, value] : row) {
      if (key == model_column || (variant_name && key == variant_column)) continue;
      ReadField(key, value, variant, info, *name, builder);
    }
    if (variant.metrics.empty()) {
      builder.Skip(where, "it holds no number");
      continue;
    }
    TakeAverageAsAccuracy(variant);

    const auto [found, is_new] = index.emplace(*name, models.size());
    if (is_new) {
      models.push_back({.model = std::string(*name), .baseline = {}, .variants = {}, .info = {}});
      models.back().info.emplace_back("table", std::string(table));
    }
    ModelComparison& model = models[found->second];
    for (auto& [key, value] : info) AddFact(key, std::move(value), model.info);
    AddVariant(std::move(variant), model, builder);
  }
  for (ModelComparison& model : models) builder.Add(std::move(model));
}

}  // namespace cboard::compression
