#include "compression/benchmarks/benchmark_builder.h"

#include <algorithm>
#include <array>
#include <set>

#include "cboard/base/strings.h"
#include "compression/benchmarks/json_document.h"
#include "compression/tags/tag_key.h"

namespace cboard::compression {
namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;

constexpr std::array<std::string_view, 3> kLatencySamples = {"latencies_ms", "latency_samples_ms",
                                                             "latencies"};

constexpr std::array<std::string_view, 7> kKnownVariants = {"fp32", "fp16", "bf16",    "fp8",
                                                            "int8", "int4", "baseline"};

// Names that baselines usually have, the most common first.
constexpr std::array<std::string_view, 5> kBaselines = {"fp32", "baseline", "original", "bf16",
                                                        "fp16"};

std::string Lowered(std::string_view text) {
  std::string lowered(text);
  for (char& c : lowered) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lowered;
}

std::string Joined(const simdjson::dom::array& items) {
  std::string text;
  for (const element item : items) {
    if (!text.empty()) text += "; ";
    if (item.is_string()) {
      text += std::string_view(item);
    } else {
      text += simdjson::minify(item);
    }
  }
  return text;
}

}  // namespace

std::optional<InfoValue> InfoOf(const element& value) {
  if (const std::optional<double> number = NumberOf(value)) return *number;
  switch (value.type()) {
    case element_type::STRING:
      return std::string(std::string_view(value));
    case element_type::BOOL:
      return std::string(bool(value) ? "true" : "false");
    case element_type::ARRAY: {
      const simdjson::dom::array items(value);
      std::vector<double> numbers;
      for (const element item : items) {
        const std::optional<double> number = NumberOf(item);
        if (!number) return Joined(items);
        numbers.push_back(*number);
      }
      return numbers;
    }
    default:
      return std::nullopt;
  }
}

std::string NormalVariantName(std::string_view name) {
  const std::string lowered = Lowered(name);
  if (lowered == "float32" || lowered == "f32") return "fp32";
  if (lowered == "float16" || lowered == "f16" || lowered == "half") return "fp16";
  if (lowered == "bfloat16") return "bf16";
  return IsKnownVariantName(lowered) ? lowered : std::string(name);
}

bool IsKnownVariantName(std::string_view name) {
  return std::ranges::find(kKnownVariants, name) != kKnownVariants.end();
}

void BenchmarkBuilder::Add(ModelComparison model) {
  std::string name = model.model;
  // A name that was generated here is checked like any other name, because the file may already
  // contain it.
  for (std::size_t n = ++names_[name]; n > 1; n = ++names_[name]) {
    name = model.model + "-" + std::to_string(n);
  }
  if (name != model.model) {
    Warn("model " + Quoted(model.model) + " is there more than once; a later one is read as " +
         Quoted(name));
    model.model = std::move(name);
  }
  const auto is_there = [&](std::string_view baseline) { return model.Find(baseline) != nullptr; };
  const auto baseline = std::ranges::find_if(kBaselines, is_there);
  if (baseline != kBaselines.end()) {
    model.baseline = *baseline;
  } else {
    model.baseline = model.variants.front().name;
    if (model.variants.size() > 1) {
      Warn("model " + Quoted(model.model) + " has no variant 'fp32'; " + Quoted(model.baseline) +
           " is taken as its baseline");
    }
  }
  file_.models.push_back(std::move(model));
}

void ReadField(std::string_view key, const element& value, Variant& variant, ModelInfo& info,
               std::string_view model, BenchmarkBuilder& builder) {
  const auto where = [&] {
    return Quoted(key) + " of model " + Quoted(model) + ", variant " + Quoted(variant.name);
  };
  if (const std::optional<double> number = NumberOf(value)) {
    if (!variant.metrics.insert_or_assign(std::string(key), *number).second) {
      builder.Warn(where() + " is there more than once; the last value counts");
    }
    return;
  }
  if (std::ranges::find(kLatencySamples, key) != kLatencySamples.end() && value.is_array()) {
    std::size_t ignored = 0;
    for (const element item : simdjson::dom::array(value)) {
      const std::optional<double> sample = NumberOf(item);
      if (sample) {
        variant.latencies_ms.push_back(*sample);
      } else {
        ++ignored;
      }
    }
    if (ignored > 0) {
      builder.Warn(HumanCount(ignored) + " entries in " + where() + " are no numbers");
    }
    return;
  }
  if (value.is_string() && IsKnownMetric(key)) {
    builder.Warn(where() + " is the text " + Quoted(std::string_view(value)) +
                 " and no figure; write numbers without quotes");
  }
  std::optional<InfoValue> fact = InfoOf(value);
  if (!fact) return;
  // The device is stored as a metric, because users filter by the device on which a model ran.
  if (key == "evaluated_on") {
    const auto* device = std::get_if<std::string>(&*fact);
    AddFact("device_gpu", device != nullptr && *device == "gpu" ? 1.0 : 0.0, info);
  }
  AddFact(variant.name + "." + std::string(key), *std::move(fact), info);
}

void AddFact(std::string_view key, InfoValue value, ModelInfo& info) {
  if (info.size() < kMaxFacts && FindInfo(info, key) == nullptr) {
    info.emplace_back(key, std::move(value));
  }
}

void AddVariant(Variant variant, ModelComparison& model, BenchmarkBuilder& builder) {
  if (model.variants.size() >= kMaxVariants) {
    builder.Warn("model " + Quoted(model.model) + " has more than " + HumanCount(kMaxVariants) +
                 " variants; " + Quoted(variant.name) + " is left out");
    return;
  }
  std::set<std::string> taken;
  for (const Variant& other : model.variants) taken.insert(TagKeyOf(other.name));
  std::string name = variant.name;
  for (std::size_t n = 2; taken.contains(TagKeyOf(name)); ++n) {
    name = variant.name + "-" + std::to_string(n);
  }
  if (name != variant.name) {
    builder.Warn("variant " + Quoted(variant.name) + " of model " + Quoted(model.model) +
                 " shares its tag with another one; it is read as " + Quoted(name));
    variant.name = std::move(name);
  }
  model.variants.push_back(std::move(variant));
}

}  // namespace cboard::compression
