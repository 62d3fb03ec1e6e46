#include "cboard/analysis/parsed_tag.h"

#include <algorithm>
#include <array>
#include <span>

#include "analysis/runs/run_path.h"
#include "cboard/analysis/tuning.h"
#include "cboard/base/strings.h"
#include "cboard/compression/aurora.h"
#include "cboard/compression/names.h"
#include "cboard/compression/tags.h"
#include "writer/summary/tag_cleaning.h"

namespace cboard::analysis {
namespace {

struct OtherName {
  std::string_view logged, key;
};

// Metrics that are logged under another name than their key.
constexpr auto kOtherNames = std::to_array<OtherName>({
    {"latency_ms", "latency_mean_ms"},
    {"latency", "latency_mean_ms"},
    {"model_size", "model_size_mb"},
    {"memory_usage", "memory_usage_mb"},
    {"gpu_memory_mb", "gpu_memory_usage_mb"},
    {"energy_mw", "energy_consumption_mw"},
    {"energy", "energy_consumption_mw"},
});

// Names of curves of one training. Programs log these curves in the same way as variants: as groups
// of add_scalars.
constexpr auto kPhases = std::to_array<std::string_view>(
    {"train", "training", "val", "valid", "validation", "test", "eval"});

constexpr auto kKnownVariants = std::to_array<std::string_view>(
    {"fp32", "float32", "float", "fp16", "float16", "bf16", "bfloat16", "fp8", "int8", "uint8",
     "int4", "int2", "baseline", "original", "quantized", "pruned", "distilled", "qat", "ptq"});

bool IsPhase(std::string_view name) { return std::ranges::find(kPhases, name) != kPhases.end(); }

bool IsAuroraFactor(std::string_view name) {
  return std::ranges::find(compression::kAuroraFactorNames, name) !=
         compression::kAuroraFactorNames.end();
}

std::string Joined(std::span<const std::string_view> parts) {
  std::string text(parts.front());
  for (const std::string_view part : parts.subspan(1)) text += "/" + std::string(part);
  return text;
}

ParsedTag MetricTag(TagFormat dialect, std::string model, std::string variant,
                    std::string_view logged_name) {
  const compression::MetricDescription metric =
      compression::DescribeMetric(MetricKeyOf(logged_name));
  return {.dialect = dialect,
          .kind = FactKind::kMetric,
          .model = std::move(model),
          .variant = std::move(variant),
          .metric = metric.key,
          .unit = metric.unit,
          .better = metric.better};
}

ParsedTag RatioTag(std::string model, std::string ratio, std::string variant) {
  return {.dialect = TagFormat::kFlat,
          .kind = FactKind::kRatio,
          .model = std::move(model),
          .variant = std::move(variant),
          .metric = std::move(ratio)};
}

std::optional<ParsedTag> TakeApart(std::span<const std::string_view> parts) {
  const std::size_t size = parts.size();
  const std::string_view last = parts[size - 1];
  if (size >= 4 && (parts[size - 3] == "metrics" || parts[size - 3] == "performance")) {
    if (IsPhase(last)) return std::nullopt;
    return MetricTag(TagFormat::kFlat, Joined(parts.first(size - 3)),
                     compression::NameOfDirectory(last), parts[size - 2]);
  }
  if (size >= 5 && parts[size - 4] == "compression" && parts[size - 3] == "aurora" &&
      IsAuroraFactor(parts[size - 2])) {
    return RatioTag(Joined(parts.first(size - 4)), "aurora/" + std::string(parts[size - 2]),
                    compression::NameOfDirectory(last));
  }
  if (size >= 4 && parts[size - 3] == "compression") {
    std::string model = Joined(parts.first(size - 3));
    if (parts[size - 2] == "aurora" && IsAuroraFactor(last)) {
      return RatioTag(std::move(model), "aurora/" + std::string(last),
                      std::string(compression::kDefaultVariant));
    }
    return RatioTag(std::move(model), std::string(parts[size - 2]),
                    compression::NameOfDirectory(last));
  }
  if (size >= 3 && parts[size - 2] == "compression") {
    return RatioTag(Joined(parts.first(size - 2)), std::string(last),
                    std::string(compression::kDefaultVariant));
  }
  return std::nullopt;
}

// Parses a tag of a run that is named after the model, as the upstream plugin expects:
// metrics/accuracy/fp32.
std::optional<ParsedTag> ParseBareTag(std::string_view run, std::string_view tag) {
  const std::vector<std::string_view> parts = Split(tag, '/');
  if (parts.size() != 3 || (parts[0] != "metrics" && parts[0] != "performance")) return {};
  if (run == "." || IsPhase(parts[2]) || !compression::IsKnownMetric(MetricKeyOf(parts[1])))
    return {};
  ParsedTag meaning = MetricTag(TagFormat::kFlat, compression::NameOfDirectory(LastPart(run)),
                                compression::NameOfDirectory(parts[2]), parts[1]);
  if (meaning.model.empty() || meaning.variant.empty()) return {};  // Empty for "%", see below.
  return meaning;
}

// Returns the length of the part of `cleaned` before `tail`, if `tail` is at its end and begins at
// a slash; else npos.
std::size_t BeforeTail(std::string_view cleaned, std::string_view tail) {
  if (!cleaned.ends_with(tail)) return std::string_view::npos;
  const std::size_t before = cleaned.size() - tail.size();
  return before == 0 || cleaned[before - 1] == '/' ? before : std::string_view::npos;
}

// Returns the parent run of `run`: its first `length` characters without the slash at the end.
std::string ExperimentOf(std::string_view run, std::size_t length) {
  return length == 0 ? std::string(".") : std::string(run.substr(0, length - 1));
}

}  // namespace

std::string_view NameOf(TagFormat dialect) {
  switch (dialect) {
    case TagFormat::kStored:
      return "stored";
    case TagFormat::kFlat:
      return "flat";
    case TagFormat::kGroup:
      return "group";
    case TagFormat::kTuning:
      return "tuning";
    case TagFormat::kStage:
      break;
  }
  return "stage";
}

std::string MetricKeyOf(std::string_view logged_name) {
  const auto found = std::ranges::find(kOtherNames, logged_name, &OtherName::logged);
  return found == kOtherNames.end() ? compression::NameOfDirectory(logged_name)
                                    : std::string(found->key);
}

bool IsKnownVariant(std::string_view variant) {
  if (std::ranges::find(kKnownVariants, variant) != kKnownVariants.end()) return true;
  // Returns true for variant names that have a known beginning and end with a number: w4a8, w8,
  // pruned50, tune_3.
  const std::size_t letters = variant.find_first_of("0123456789");
  if (letters == std::string_view::npos) return false;
  const std::string_view beginning = variant.substr(0, letters);
  return beginning == "w" || beginning == "pruned" || beginning == "tune_";
}

bool NamesCompression(std::string_view variant) {
  return IsKnownVariant(variant) && variant != "baseline" && variant != "original";
}

std::string ModelKeyOf(std::string_view model) {
  return writer::summary::CleanTag(compression::TagPrefixOf(model));
}

std::optional<ParsedTag> ParseFlatTag(std::string_view tag) {
  const std::vector<std::string_view> parts = Split(tag, '/');
  if (std::ranges::find(parts, std::string_view()) != parts.end()) return std::nullopt;
  std::optional<ParsedTag> meaning = TakeApart(parts);
  // "%" stands for an empty name. An empty name does not name a model.
  if (meaning && (meaning->metric.empty() || meaning->variant.empty())) return std::nullopt;
  return meaning;
}

std::optional<ParsedTag> ParseGroupTag(std::string_view run, std::string_view tag) {
  const std::size_t slash = tag.rfind('/');
  if (slash == std::string_view::npos || slash == 0) return std::nullopt;
  const std::string_view metric = tag.substr(slash + 1);
  if (!compression::IsKnownMetric(MetricKeyOf(metric))) return std::nullopt;
  // Tests the name first: cleaning the run's name takes longest, and most scalars called "accuracy"
  // are not in a sub-run of that name.
  if (run.find(metric) == std::string_view::npos) return std::nullopt;

  // Compares cleaned names, because directories may contain characters that tags cannot. If
  // cleaning changed the length, positions in the two names differ, and only the cleaned name is
  // used.
  const std::string cleaned = writer::summary::CleanTag(run);
  const std::string_view spelled = cleaned.size() == run.size() ? run : std::string_view(cleaned);
  const std::string_view parent = ParentOf(cleaned);
  std::string_view variant;
  std::string experiment;
  // Parses tensorboardX's sub-run <run>/<tag>/<variant>.
  if (const std::size_t before = BeforeTail(parent, tag); before != std::string_view::npos) {
    variant = LastPart(spelled);
    experiment = ExperimentOf(spelled, before);
  } else {
    // Parses PyTorch's sub-run <run>/<tag with underscores for slashes>_<variant>.
    std::string prefix = std::string(tag) + "_";
    std::ranges::replace(prefix, '/', '_');
    if (!LastPart(cleaned).starts_with(prefix)) return std::nullopt;
    variant = LastPart(spelled).substr(prefix.size());
    experiment = std::string(ParentOf(spelled));
  }
  if (variant.empty() || IsPhase(variant)) return std::nullopt;
  ParsedTag meaning = MetricTag(TagFormat::kGroup, std::string(tag.substr(0, slash)),
                                compression::NameOfDirectory(variant), metric);
  if (meaning.variant.empty()) return std::nullopt;
  meaning.experiment = std::move(experiment);
  return meaning;
}

std::optional<ParsedTag> ParseTrialTag(std::string_view run, std::string_view directory,
                                       std::string_view tag) {
  std::string_view metric = tag;
  for (const std::string_view group : {"metrics/", "performance/", "hparam/"}) {
    if (metric.starts_with(group)) metric.remove_prefix(group.size());
  }
  if (!compression::IsKnownMetric(MetricKeyOf(metric))) return std::nullopt;
  const std::optional<TrialLocation> trial = FindTrial(run, directory);
  if (!trial) return std::nullopt;
  ParsedTag meaning = MetricTag(TagFormat::kTuning, ModelOfExperiment(trial->experiment, {}),
                                compression::VariantOfTrial(trial->name.number), metric);
  meaning.experiment = trial->experiment;
  return meaning;
}

std::optional<ParsedTag> ParseTag(const ScalarName& scalar) {
  const std::string_view run = WithoutDot(scalar.run);
  std::optional<ParsedTag> meaning;
  if (scalar.plugin_name == compression::kCompressionPluginName) {
    meaning = ParseMetadata(scalar.plugin_content);
  }
  if (!meaning) meaning = ParseFlatTag(scalar.tag);
  if (!meaning) meaning = ParseBareTag(run, scalar.tag);
  if (meaning) {
    meaning->experiment = std::string(run);
    return meaning;
  }
  meaning = ParseGroupTag(run, scalar.tag);
  return meaning ? meaning : ParseTrialTag(scalar.run, scalar.directory, scalar.tag);
}

}  // namespace cboard::analysis
