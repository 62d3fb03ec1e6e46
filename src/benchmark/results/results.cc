#include "cboard/benchmark/results.h"

#include <simdjson.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "benchmark/results/indented_json.h"
#include "benchmark/results/variant_metrics.h"
#include "cboard/base/file.h"
#include "cboard/base/json_writer.h"
#include "cboard/base/strings.h"
#include "cboard/compression/benchmark_import.h"

namespace cboard::benchmark {
namespace {

constexpr std::size_t kMaxWrittenSamples = 1000;

std::string Joined(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) text += (text.empty() ? "" : "; ") + sentence;
  return text;
}

void WriteInterval(std::string_view key, const RatioEstimate& ratio, JsonWriter& json) {
  json.Key(key).BeginArray().Value(ratio.low).Value(ratio.high).EndArray();
}

// Writes the numbers of a comparison into a separate object, because `import` reads all other
// numbers of a variant as metrics.
void WriteComparison(const ModelBenchmark& model, const VariantBenchmark& variant,
                     JsonWriter& json) {
  json.Key("comparison").BeginObject();
  if (variant.latency) {
    const VariantLatency& latency = *variant.latency;
    json.Key("speedup").Value(latency.speedup.ratio);
    WriteInterval("speedup_ci95", latency.speedup, json);
    json.Key("speedup_wall").Value(latency.wall_speedup.ratio);
    WriteInterval("speedup_wall_ci95", latency.wall_speedup, json);
    json.Key("speedup_cpu").Value(latency.cpu_speedup.ratio);
    WriteInterval("speedup_cpu_ci95", latency.cpu_speedup, json);
    json.Key("interval_width").Value(latency.speedup.RelativeWidth());
    json.Key("basis").Value(NameOf(model.basis));
    json.Key("blocks").Value(model.block_count);
    json.Key("runs").Value(latency.run_count);
    json.Key("interrupted_runs").Value(latency.interrupted_count);
    json.Key("mean_of_all_runs_ms").Value(latency.mean_all_ms);
    if (latency.copy_difference > 0) json.Key("copy_difference").Value(latency.copy_difference);
    json.Key("warmup_runs").Value(latency.warmup_runs);
  }
  if (variant.throughput) {
    json.Key("throughput_ratio").Value(variant.throughput->ratio.ratio);
    WriteInterval("throughput_ratio_ci95", variant.throughput->ratio, json);
    json.Key("throughput_verdict").Value(NameOf(variant.throughput->verdict));
    json.Key("streams").Value(variant.throughput->streams);
    json.Key("batch").Value(variant.throughput->batch);
  }
  json.EndObject();
}

void WriteReasons(const std::vector<SlowReason>& reasons, JsonWriter& json) {
  json.Key("why_slower").BeginArray();
  for (const SlowReason& reason : reasons) {
    json.BeginObject();
    json.Key("cause").Value(NameOf(reason.cause));
    json.Key("share").Value(reason.share);
    json.Key("nodes").BeginArray();
    for (const std::string& node : reason.nodes) json.Value(node);
    json.EndArray();
    json.Key("explanation").Value(reason.explanation);
    json.EndObject();
  }
  json.EndArray();
}

void WriteOperators(const std::vector<OperatorTime>& operators, JsonWriter& json) {
  json.Key("operator_times_us").BeginObject();
  for (const OperatorTime& time : operators) {
    json.Key(time.op_type).BeginObject();
    json.Key("baseline").Value(time.baseline_us);
    json.Key("variant").Value(time.variant_us);
    json.EndObject();
  }
  json.EndObject();
}

void WriteVariant(const ModelBenchmark& model, const VariantBenchmark& variant, JsonWriter& json) {
  json.Key(variant.name).BeginObject();
  for (const auto& [description, value] : compression::InLogOrder(MetricsOf(variant))) {
    json.Key(description.key).Value(value);
  }
  const bool is_baseline = variant.name == model.baseline;
  if (variant.latency && !is_baseline && variant.latency->speedup.block_count > 0) {
    WriteInterval("speedup_ci95", variant.latency->speedup, json);
    json.Key("verdict").Value(NameOf(variant.latency->verdict));
  }
  json.Key("valid").Value(variant.why_invalid.empty());
  if (!variant.why_invalid.empty()) json.Key("why_invalid").Value(Joined(variant.why_invalid));
  if (!variant.why_slower.empty()) WriteReasons(variant.why_slower, json);
  if (!variant.operator_times.empty()) WriteOperators(variant.operator_times, json);
  if (!variant.not_measured.empty()) {
    json.Key("not_measured").BeginObject();
    for (const compression::Omission& omission : variant.not_measured) {
      json.Key(omission.what).Value(omission.reason);
    }
    json.EndObject();
  }
  WriteComparison(model, variant, json);
  if (variant.latency) {
    json.Key("latencies_ms").BeginArray();
    for (const double sample : ThinnedSamples(*variant.latency, kMaxWrittenSamples)) {
      json.Value(static_cast<float>(sample));
    }
    json.EndArray();
  }
  json.Key("evaluated_on").Value(model.provider == "cuda" ? "gpu" : "cpu");
  json.Key("file").Value(variant.path.filename().string());
  json.Key("sha256").Value(variant.sha256);
  json.EndObject();
}

void WriteEnvironment(const ModelBenchmark& model, JsonWriter& json) {
  json.Key("environment").BeginObject();
  json.Key("onnxruntime").Value(model.runtime_version);
  json.Key("provider").Value(model.provider);
  json.Key("threads").Value(model.threads);
  json.Key("batch").Value(model.batch);
  json.Key("pinned_cpus").BeginArray();
  for (const int cpu : model.cpus) json.Value(cpu);
  json.EndArray();
  json.Key("cpu").Value(model.machine.cpu);
  json.Key("cpu_count").Value(model.machine.cpu_count);
  json.Key("architecture").Value(model.machine.architecture);
  json.Key("instruction_set").Value(model.machine.instruction_set);
  json.Key("kernel").Value(model.machine.kernel);
  if (!model.machine.governor.empty()) json.Key("governor").Value(model.machine.governor);
  json.Key("fingerprint").Value(model.fingerprint);
  json.Key("complete").Value(model.is_complete);
  json.EndObject();
}

void WriteModel(const ModelBenchmark& model, JsonWriter& json) {
  json.BeginObject();
  std::vector<std::string> failed;
  for (const VariantBenchmark& variant : model.variants) {
    if (variant.is_measured()) {
      WriteVariant(model, variant, json);
    } else {
      failed.push_back(variant.name + ": " + variant.error);
    }
  }
  json.Key("model_info").BeginObject();
  for (const auto& [key, value] : InfoOf(model)) {
    if (const auto* sizes = std::get_if<std::vector<double>>(&value)) {
      json.Key(key).BeginArray();
      for (const double size : *sizes) json.Value(static_cast<std::int64_t>(size));
      json.EndArray();
    } else {
      json.Key(key).Value(compression::ToText(value));
    }
  }
  json.EndObject();
  json.Key("benchmark_time_seconds").Value(model.seconds);
  json.Key("baseline_variant").Value(model.baseline);
  if (!failed.empty()) json.Key("failed_variants").Value(Joined(failed));
  WriteEnvironment(model, json);
  json.EndObject();
}

bool IsInModels(std::string_view name, std::span<const ModelBenchmark> models) {
  return std::ranges::find(models, name, &ModelBenchmark::model) != models.end();
}

constexpr int kIndentedDepth = 3;

// Reads an existing results file. The result refers to `parser`.
Result<simdjson::dom::object> ReadOldResults(const std::filesystem::path& file,
                                             simdjson::dom::parser& parser) {
  CBOARD_ASSIGN_OR_RETURN(const std::string text, ReadFile(file));
  simdjson::dom::object old;
  if (parser.parse(text).get(old) != simdjson::SUCCESS) {
    return Fail(ErrorCode::kInvalidArgument,
                "the file " + Quoted(file.string(), 1000) +
                    " exists, but is not a benchmark JSON file; choose another file with -o");
  }
  return old;
}

}  // namespace

std::string ToJson(std::span<const ModelBenchmark> models) {
  JsonWriter json(NonFinite::kAsNull);
  json.BeginObject();
  for (const ModelBenchmark& model : models) {
    json.Key(model.model);
    WriteModel(model, json);
  }
  json.EndObject();
  return Indented(json.text(), kIndentedDepth);
}

Result<void> CheckResultsFile(const std::filesystem::path& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) {
    return Fail(ErrorCode::kInvalidArgument,
                "the output " + Quoted(file.string(), 1000) +
                    " is a directory; give the name of a JSON file with -o");
  }
  if (std::filesystem::exists(file, ignored)) {
    simdjson::dom::parser parser;
    CBOARD_RETURN_IF_ERROR(ReadOldResults(file, parser));
  }
  if (file.has_parent_path()) CBOARD_RETURN_IF_ERROR(CreateDirectories(file.parent_path()));
  // Files are replaced by new ones, so the folder must allow a new file.
  const std::filesystem::path probe = file.string() + ".probe-" + std::to_string(::getpid());
  CBOARD_RETURN_IF_ERROR(WriteFileAtomically(probe, ""));
  std::filesystem::remove(probe, ignored);
  return {};
}

Result<void> WriteResults(const std::filesystem::path& file,
                          std::span<const ModelBenchmark> models) {
  JsonWriter json(NonFinite::kAsNull);
  json.BeginObject();
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored)) {
    simdjson::dom::parser parser;
    CBOARD_ASSIGN_OR_RETURN(const simdjson::dom::object old, ReadOldResults(file, parser));
    for (const auto& [name, value] : old) {
      if (!IsInModels(name, models)) json.Key(name).Raw(simdjson::minify(value));
    }
  }
  for (const ModelBenchmark& model : models) {
    json.Key(model.model);
    WriteModel(model, json);
  }
  json.EndObject();
  if (file.has_parent_path()) CBOARD_RETURN_IF_ERROR(CreateDirectories(file.parent_path()));
  return WriteFileAtomically(file, Indented(json.text(), kIndentedDepth));
}

std::map<std::string, std::string, std::less<>> ReadFingerprints(
    const std::filesystem::path& file) {
  std::map<std::string, std::string, std::less<>> found;
  const auto text = ReadFile(file);
  if (!text) return found;
  simdjson::dom::parser parser;
  simdjson::dom::object models;
  if (parser.parse(*text).get(models) != simdjson::SUCCESS) return found;
  for (const auto& [name, model] : models) {
    std::string_view fingerprint;
    bool is_complete = false;
    if (model["environment"]["fingerprint"].get(fingerprint) == simdjson::SUCCESS &&
        model["environment"]["complete"].get(is_complete) == simdjson::SUCCESS && is_complete) {
      found.emplace(name, fingerprint);
    }
  }
  return found;
}

compression::ModelComparison ToComparison(const ModelBenchmark& model) {
  compression::ModelComparison comparison{.model = model.model, .baseline = model.baseline};
  for (const VariantBenchmark& variant : model.variants) {
    if (!variant.is_measured()) continue;
    comparison.variants.push_back(
        {variant.name, MetricsOf(variant),
         variant.latency ? variant.latency->samples_ms : std::vector<double>()});
  }
  if (!comparison.variants.empty() && comparison.Find(model.baseline) == nullptr) {
    comparison.baseline = comparison.variants[0].name;
  }
  comparison.info = InfoOf(model);
  comparison.info.emplace_back("benchmark_time_seconds", model.seconds);
  for (const VariantBenchmark& variant : model.variants) {
    if (variant.latency && variant.name != model.baseline) {
      comparison.info.emplace_back(variant.name + ".verdict",
                                   std::string(NameOf(variant.latency->verdict)));
    }
    if (!variant.why_invalid.empty()) {
      comparison.info.emplace_back(variant.name + ".why_invalid", Joined(variant.why_invalid));
    }
    for (const SlowReason& reason : variant.why_slower) {
      comparison.info.emplace_back(
          variant.name + ".why_slower." + std::string(NameOf(reason.cause)), reason.explanation);
    }
  }
  return comparison;
}

Result<void> LogResults(const ModelBenchmark& model, const std::filesystem::path& logdir) {
  compression::BenchmarkFile file{.name = model.model, .models = {ToComparison(model)}};
  if (file.models[0].variants.empty()) {
    return Fail(ErrorCode::kFailedPrecondition, "no variant of model " + Quoted(model.model) +
                                                    " was measured, so nothing was logged");
  }
  compression::ImportOptions options;
  options.directory = logdir;
  CBOARD_RETURN_IF_ERROR(compression::ImportBenchmark(file, options));
  return {};
}

}  // namespace cboard::benchmark
