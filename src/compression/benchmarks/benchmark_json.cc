#include "cboard/compression/benchmark_json.h"

#include <algorithm>
#include <array>

#include "cboard/base/file.h"
#include "cboard/base/strings.h"
#include "compression/benchmarks/benchmark_builder.h"
#include "compression/benchmarks/json_document.h"

namespace cboard::compression {
namespace {

using simdjson::dom::element;
using simdjson::dom::object;

// Keys of objects that contain facts about a model. An object with such a key is never a variant.
constexpr auto kDescriptions = std::to_array<std::string_view>(
    {"model_info", "info", "metadata", "published", "config", "hparams", "environment", "hardware",
     "system", "compression"});

bool IsDescription(std::string_view key) {
  return std::ranges::find(kDescriptions, key) != kDescriptions.end();
}

// Returns true if an object is a variant: it has a number under the key of a known metric, or any
// number if the object has the name of a variant.
bool IsVariant(std::string_view key, const object& fields) {
  const bool named = IsKnownVariantName(NormalVariantName(key));
  for (const auto [field, value] : fields) {
    if ((named || IsKnownMetric(field)) && NumberOf(value)) return true;
  }
  return false;
}

// Reads facts from objects such as model_info, including nested objects.
void ReadInfo(const object& fields, ModelInfo& info) {
  for (const auto [key, value] : fields) {
    if (std::optional<InfoValue> fact = InfoOf(value)) AddFact(key, *std::move(fact), info);
  }
}

// Explains why an object that stands where a variant is expected cannot be a variant.
std::string Objection(const object& fields) {
  for (const auto [field, value] : fields) {
    if (!IsKnownMetric(field) || !value.is_string()) continue;
    return "is left out: its " + Quoted(field) + " is the text " + Quoted(std::string_view(value)) +
           "; write numbers without quotes";
  }
  return "holds no known metric and is left out";
}

std::string NamesOf(const ModelComparison& model) {
  std::string names;
  for (const Variant& variant : model.variants) {
    names += (names.empty() ? "" : ", ") + Quoted(variant.name);
  }
  return names;
}

// Reads "derived": ["int8.latency_mean_ms"], the list of metrics that are derived: computed from
// other metrics, not measured.
void ReadDerived(const element& entry, ModelComparison& model, BenchmarkBuilder& builder) {
  simdjson::dom::array names;
  if (entry.get(names) != simdjson::SUCCESS) return;
  for (const element item : names) {
    std::string_view name;
    if (item.get(name) != simdjson::SUCCESS) continue;
    const std::size_t dot = std::min(name.rfind('.'), name.size());
    const std::string variant = NormalVariantName(name.substr(0, dot));
    const std::string_view metric = name.substr(std::min(dot + 1, name.size()));
    const auto found = std::ranges::find(model.variants, variant, &Variant::name);
    if (found != model.variants.end() && found->metrics.contains(metric)) {
      found->derived.emplace(metric);
    } else {
      builder.Warn("'derived' of model " + Quoted(model.model) + " names " + Quoted(name) +
                   ", which is no figure of it; expected \"<variant>.<metric>\"");
    }
  }
}

void ReadModel(std::string_view name, const object& entry, const ModelInfo& file_info,
               BenchmarkBuilder& builder) {
  ModelComparison model{.model = std::string(name), .baseline = {}, .variants = {}, .info = {}};
  for (const auto [key, value] : entry) {
    object fields;
    if (value.get(fields) != simdjson::SUCCESS) continue;
    if (key == "model_info") {
      ReadInfo(fields, model.info);
    } else if (!IsDescription(key) && IsVariant(key, fields)) {
      Variant variant{.name = NormalVariantName(key), .metrics = {}, .latencies_ms = {}};
      for (const auto [field, figure] : fields) {
        ReadField(field, figure, variant, model.info, name, builder);
      }
      AddVariant(std::move(variant), model, builder);
    } else if (!IsDescription(key)) {
      builder.Warn(Quoted(key) + " of model " + Quoted(name) + " " + Objection(fields));
    }
  }
  // Reads facts beside the variants: framework, benchmark_time_seconds, speedup_published.
  for (const auto [key, value] : entry) {
    if (value.is_object()) continue;
    if (key == "derived") ReadDerived(value, model, builder);
    if (std::optional<InfoValue> fact = InfoOf(value)) AddFact(key, *std::move(fact), model.info);
  }
  if (model.variants.empty()) {
    builder.Skip(name,
                 "it holds no variant; expected objects such as \"fp32\" and \"int8\" with "
                 "numbers like \"accuracy\"");
  } else if (model.variants.size() == 1) {
    builder.Skip(name, "it has only the variant " + NamesOf(model) +
                           "; a comparison needs two, such as \"fp32\" and \"int8\"");
  } else {
    for (const auto& [key, value] : file_info) AddFact(key, value, model.info);
    builder.Add(std::move(model));
  }
}

// Returns true for {"fp32": {…}, "int8": {…}}, a file with one model and no model name.
bool IsOneModel(const object& document) {
  object fields;
  return document[kDefaultBaseline].get(fields) == simdjson::SUCCESS &&
         IsVariant(kDefaultBaseline, fields);
}

// Reads facts that apply to all models. Each model gets a copy, so their length is limited.
ModelInfo FileInfo(const object& document, BenchmarkBuilder& builder) {
  ModelInfo info;
  std::size_t bytes = 0;
  for (const auto [key, value] : document) {
    if (key.starts_with('_') || value.is_object() || value.is_array()) continue;
    std::optional<InfoValue> fact = InfoOf(value);
    if (!fact) continue;
    const std::size_t size = key.size() + ToText(*fact).size();
    if (bytes + size > kMaxSharedFactBytes) {
      builder.Warn(Quoted(key) +
                   " is left out: the texts and numbers beside the models go to each "
                   "of them, and may have " +
                   HumanCount(kMaxSharedFactBytes) + " bytes together");
      continue;
    }
    bytes += size;
    AddFact(key, *std::move(fact), info);
  }
  return info;
}

void ReadDocument(const object& document, BenchmarkBuilder& builder, std::string_view file_name) {
  if (IsOneModel(document)) {
    builder.Warn("the file holds the variants of one model without its name; it is read as " +
                 Quoted(file_name));
    ReadModel(file_name, document, {}, builder);
    return;
  }
  const ModelInfo file_info = FileInfo(document, builder);
  for (const auto [key, value] : document) {
    if (key.starts_with('_')) continue;
    object entry;
    simdjson::dom::array rows;
    if (value.get(entry) == simdjson::SUCCESS) {
      ReadModel(key, entry, file_info, builder);
    } else if (value.get(rows) == simdjson::SUCCESS) {
      ReadTable(key, rows, builder);
    }
  }
}

}  // namespace

Result<BenchmarkFile> ParseBenchmarkJson(std::string text, std::string_view source) {
  simdjson::dom::parser parser;
  std::vector<std::string> repairs;
  CBOARD_ASSIGN_OR_RETURN(const element document,
                          ParseJson(text, parser, source, "benchmark results", repairs));

  const std::string name = std::filesystem::path(source).stem().string();
  BenchmarkBuilder builder(name);
  for (std::string& repair : repairs) builder.Warn(std::move(repair));
  if (document.is_object()) {
    ReadDocument(object(document), builder, name);
  } else if (document.is_array()) {
    ReadTable(name, simdjson::dom::array(document), builder);
  }
  if (builder.empty()) {
    return Fail(
        ErrorCode::kInvalidArgument,
        std::string(source) +
            ": the file contains no model; expected {\"<model>\": {\"fp32\": {\"accuracy\": "
            "…}, \"int8\": {…}}, …}");
  }
  return builder.Take();
}

Result<BenchmarkFile> ReadBenchmarkJson(const std::filesystem::path& path) {
  CBOARD_ASSIGN_OR_RETURN(std::string text, ReadFile(path, kMaxBenchmarkBytes));
  return ParseBenchmarkJson(std::move(text), path.native());
}

}  // namespace cboard::compression
