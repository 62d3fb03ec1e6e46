// Collects what the readers of benchmark JSON find, and keeps names apart.
#pragma once

#include <simdjson.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/compression/benchmark_json.h"

namespace cboard::compression {

// A fact as it is stored: booleans as texts, mixed arrays as one text. nullopt for null and
// objects.
std::optional<InfoValue> InfoOf(const simdjson::dom::element& element);

// fp32, FP32 and float32 are one name; names that are not usual ones stay as they are.
std::string NormalVariantName(std::string_view name);

// Whether a name, once normal, can only be that of a variant: fp32, int8, bf16, …
bool IsKnownVariantName(std::string_view name);

// More than this is no benchmark but a mistake or an attack. Variants beyond it are left out with a
// warning, facts in silence.
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

  // Adds a model under a name that is still free, sets its baseline, and says so when either is
  // not what a reader of the file would expect.
  void Add(ModelComparison model);

  BenchmarkFile Take() { return std::move(file_); }
  bool empty() const { return file_.models.empty() && file_.skipped.empty(); }

 private:
  BenchmarkFile file_;
  std::map<std::string, std::size_t, std::less<>> names_;  // How often each was asked for.
};

// Adds to `variant` a number, its latency samples, or nothing; facts that are no figures go to
// `info`.
void ReadField(std::string_view key, const simdjson::dom::element& value, Variant& variant,
               ModelInfo& info, std::string_view model, BenchmarkBuilder& builder);

// Adds a fact unless `info` has one of that name, or has too many.
void AddFact(std::string_view key, InfoValue value, ModelInfo& info);

// Appends `variant` under a name that no other variant's tag has.
void AddVariant(Variant variant, ModelComparison& model, BenchmarkBuilder& builder);

// Reads an array of rows.
void ReadTable(std::string_view table, const simdjson::dom::array& rows, BenchmarkBuilder& builder);

}  // namespace cboard::compression
