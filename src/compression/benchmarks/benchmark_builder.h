// Collects the models and variants that the parsers of benchmark JSON find, and makes names unique.
#pragma once

#include <simdjson.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/compression/benchmark_json.h"

namespace cboard::compression {

// Converts a JSON value to a fact of a model: booleans become texts, mixed arrays become one text.
// Returns nullopt for null and objects.
std::optional<InfoValue> InfoOf(const simdjson::dom::element& element);

// Normalizes common variant names: fp32, FP32 and float32 become fp32. Other names do not change.
std::string NormalVariantName(std::string_view name);

// Returns true for normalized names that can only be variants: fp32, int8, bf16, …
bool IsKnownVariantName(std::string_view name);

// Maximum number of variants. A file with more variants is a mistake or an attack. Further variants
// are left out with a warning, and further facts without a warning.
inline constexpr std::size_t kMaxVariants = 256;
inline constexpr std::size_t kMaxFacts = 256;
inline constexpr std::size_t kMaxSharedFactBytes = 16 << 10;

class BenchmarkBuilder {
 public:
  explicit BenchmarkBuilder(std::string name) { file_.name = std::move(name); }

  void Warn(std::string warning) { file_.warnings.push_back(std::move(warning)); }
  void Skip(std::string_view model, std::string reason) {
    file_.skipped.push_back({std::string(model), std::move(reason)});
  }

  // Adds a model under a unique name and sets its baseline. Adds a warning if name or baseline
  // differ from what the reader of the file would expect.
  void Add(ModelComparison model);

  BenchmarkFile Take() { return std::move(file_); }
  bool empty() const { return file_.models.empty() && file_.skipped.empty(); }

 private:
  BenchmarkFile file_;
  std::map<std::string, std::size_t, std::less<>> names_;  // Number of models by requested name.
};

// Adds a field of the JSON to `variant`: a number or latency samples. Facts that are not metrics go
// to `info`.
void ReadField(std::string_view key, const simdjson::dom::element& value, Variant& variant,
               ModelInfo& info, std::string_view model, BenchmarkBuilder& builder);

// Adds a fact, unless `info` already has a fact of that name or the maximum number of facts.
void AddFact(std::string_view key, InfoValue value, ModelInfo& info);

// Appends `variant`. If another variant has the same tag, the variant gets another name.
void AddVariant(Variant variant, ModelComparison& model, BenchmarkBuilder& builder);

// Reads a table: an array of rows.
void ReadTable(std::string_view table, const simdjson::dom::array& rows, BenchmarkBuilder& builder);

}  // namespace cboard::compression
