#include "cboard/compression/tags.h"

#include <algorithm>
#include <cmath>

#include "cboard/base/json_writer.h"
#include "cboard/base/strings.h"
#include "cboard/compression/names.h"

namespace cboard::compression {
namespace {

// Shortens a name that is stored with every value of a model; the full name is in the text
// metadata/info.
std::string Stored(std::string_view name) {
  return name.size() <= kMaxNameBytes ? std::string(name) : DirectoryNameOf(name);
}

// Changes a variant name that is also the name of a score: for a variant called "quality", the tag
// <model>/compression/aurora/quality would have two meanings.
std::string VariantPart(std::string_view variant) {
  std::string part = DirectoryNameOf(variant);
  if (std::ranges::find(kAuroraFactorNames, variant) != kAuroraFactorNames.end())
    part += "_variant";
  return part;
}

std::string MetricPath(std::string_view key) {
  const MetricDescription metric = DescribeMetric(key);
  return metric.flat_group + "/" + DirectoryNameOf(metric.flat_name);
}

class LabelJson {
 public:
  LabelJson(std::string_view model, std::string_view variant, std::string_view baseline) {
    json_.BeginObject().Key("v").Value(1).Key("model").Value(Stored(model));
    json_.Key("variant").Value(Stored(variant));
    if (!baseline.empty()) json_.Key("baseline").Value(Stored(baseline));
  }

  LabelJson& Metric(std::string_view metric, std::string_view unit, Better better) {
    json_.Key("metric").Value(Stored(metric));
    if (!unit.empty()) json_.Key("unit").Value(unit);
    if (better != Better::kUnknown) json_.Key("better").Value(NameOf(better));
    return *this;
  }

  LabelJson& Derived(bool derived) {
    if (derived) json_.Key("derived").Value(true);
    return *this;
  }

  JsonWriter& json() { return json_; }
  std::string Take() { return json_.EndObject().Take(); }

 private:
  JsonWriter json_;
};

writer::ScalarLabels Labels(std::string display_name, std::string description,
                            std::string content) {
  return {.display_name = std::move(display_name),
          .description = std::move(description),
          .plugin_name = std::string(kCompressionPluginName),
          .plugin_content = std::move(content)};
}

// Rounds a share, so that 0.4 is shown as 0.4 even if the weights add up to 1.0000000000000002.
double Rounded(double share) { return std::round(share * 1e9) / 1e9; }

std::string Shown(std::string_view name) { return ToValidUtf8(Stored(name)); }

std::string_view Sentence(Better better) {
  if (better == Better::kHigher) return ". Higher is better.";
  if (better == Better::kLower) return ". Lower is better.";
  return ".";
}

std::string_view OriginSentence(bool derived) {
  return derived ? " Derived from other figures, not measured." : "";
}

}  // namespace

std::string DefaultTag(const TagParts& parts) {
  std::string tag = TagPrefixOf(parts.model);
  switch (parts.kind) {
    case CompressionTagKind::kMetric:
      return tag + "/" + MetricPath(parts.name) + "/" + DirectoryNameOf(parts.variant);
    case CompressionTagKind::kGroup:
      return tag + "/" + DirectoryNameOf(parts.name);
    case CompressionTagKind::kRatio:
      tag += "/compression/";
      tag += parts.name;
      if (parts.baseline != kDefaultBaseline || parts.variant != kDefaultVariant) {
        tag += "/" + VariantPart(parts.variant);
      }
      return tag;
    case CompressionTagKind::kLatencyDistribution:
      return tag + "/latency_distribution/" + DirectoryNameOf(parts.variant);
    case CompressionTagKind::kMetadata:
      return tag + "/metadata/" + DirectoryNameOf(parts.name);
  }
  return tag;
}

writer::ScalarLabels LabelsOf(const MetricDescription& metric, std::string_view model,
                              std::string_view variant, bool derived) {
  LabelJson json(model, variant, {});
  json.Metric(metric.key, metric.unit, metric.better).Derived(derived);
  const std::string shown = Shown(metric.display_name);
  return Labels(shown + ", " + Shown(variant),
                shown + " of " + Shown(model) + ", variant " + Shown(variant) +
                    std::string(Sentence(metric.better)) + std::string(OriginSentence(derived)),
                json.Take());
}

writer::ScalarLabels LabelsOf(const RatioValue& ratio, std::string_view model,
                              std::string_view variant, std::string_view baseline, bool derived) {
  LabelJson json(model, variant, baseline);
  json.Metric(ratio.name, ratio.unit, ratio.better).Derived(derived);
  const std::string pair = Shown(variant) + " against " + Shown(baseline);
  return Labels(std::string(ratio.display_name) + ", " + pair,
                std::string(ratio.display_name) + " of " + Shown(model) + ", " + pair +
                    std::string(Sentence(ratio.better)) + std::string(OriginSentence(derived)),
                json.Take());
}

writer::ScalarLabels LabelsOfAurora(std::string_view name, const AuroraScore& score,
                                    const AuroraOptions& options, std::string_view model,
                                    std::string_view variant, std::string_view baseline) {
  LabelJson labels(model, variant, baseline);
  labels.Metric(name, "", Better::kHigher);
  JsonWriter& json = labels.json();
  json.Key("formula").Value(name == "aurora_mean" ? "mean" : "v1");
  json.Key("weights").BeginObject();
  for (const AuroraFactor& factor : score.factors)
    json.Key(factor.name).Value(Rounded(factor.weight));
  json.EndObject().Key("coverage").Value(Rounded(score.coverage));
  json.Key("penalty_factor").Value(options.penalty_factor);
  json.Key("penalty_threshold").Value(options.penalty_threshold);
  if (options.quality.metric != "accuracy") {
    json.Key("quality_metric").Value(Stored(options.quality.metric));
  }
  if (options.chance_level != 0) json.Key("chance_level").Value(options.chance_level);
  if (!options.measured_on.empty()) json.Key("measured_on").Value(Stored(options.measured_on));

  const std::string pair = Shown(variant) + " against " + Shown(baseline);
  const std::string shown = name == "aurora" ? "AURORA"
                            : name == "aurora_mean"
                                ? "AURORA (mean of ratios)"
                                : "AURORA factor " + std::string(name.substr(7));
  return Labels(shown + ", " + pair,
                shown + " of " + Shown(model) + ", " + pair +
                    ". 1 is break-even with the baseline, more is better; coverage " +
                    ShortestDecimal(Rounded(score.coverage)) + ".",
                labels.Take());
}

}  // namespace cboard::compression
