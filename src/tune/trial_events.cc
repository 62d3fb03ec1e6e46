#include "tune/trial_events.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "cboard/base/strings.h"
#include "cboard/model/model_graph.h"
#include "cboard/runtime/capture.h"
#include "compare/layers/model_layers.h"
#include "compare/output/graph_log.h"

namespace cboard::tune {
namespace {

// Number of samples whose outputs are logged as histograms.
constexpr std::size_t kLoggedSamples = 8;

std::string Joined(const std::vector<std::string>& names) {
  constexpr std::size_t kMaxNames = 20;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMaxNames); ++i) {
    text += (i > 0 ? ", " : "") + names[i];
  }
  if (names.size() > kMaxNames) {
    text += " and " + std::to_string(names.size() - kMaxNames) + " more";
  }
  return text.empty() ? "none" : text;
}

std::string Rounded(double value, int digits) {
  const double factor = std::pow(10.0, digits);
  return ShortestDecimal(std::round(value * factor) / factor);
}

}  // namespace

TrialEvents::TrialEvents(std::filesystem::path logdir, benchmark::RunOptions run, bool is_resumed)
    : logdir_(std::move(logdir)),
      run_(std::move(run)),
      is_resumed_(is_resumed),
      logger_({.enabled = !logdir_.empty(),
               .directory = logdir_,
               .earlier = is_resumed ? compression::ExistingTrials::kContinue
                                     : compression::ExistingTrials::kMoveAside}) {}

std::filesystem::path TrialEvents::FindLogged(bool has_failed) const {
  const std::string running = compression::VariantOfTrial(next_);
  std::error_code error;
  std::filesystem::path found;
  for (const auto& entry : std::filesystem::directory_iterator(logdir_, error)) {
    const std::string name = entry.path().filename().string();
    const auto parsed = compression::ParseTrialName(name);
    const bool is_this = has_failed ? name == running + "_failed"
                                    : parsed && parsed->number == next_ && parsed->has_accuracy;
    if (is_this) found = entry.path();
  }
  return found;
}

std::filesystem::path TrialEvents::Skip(const TrialResult& result) {
  if (logdir_.empty()) return {};
  std::filesystem::path logged = FindLogged(result.has_failed());
  if (!result.has_failed()) ++next_;
  return logged;
}

Result<void> TrialEvents::Start(const compression::TrialSettings& settings) {
  if (logdir_.empty()) return {};
  if (is_resumed_) {
    std::error_code ignored;
    std::filesystem::remove_all(logdir_ / compression::VariantOfTrial(next_), ignored);
    if (const auto logged = FindLogged(false); !logged.empty()) {
      std::filesystem::remove_all(logged, ignored);
    }
  }
  return logger_.StartTrial(settings);
}

Result<std::filesystem::path> TrialEvents::Finish(const std::filesystem::path& model,
                                                  const TrialResult& result) {
  if (logdir_.empty()) return std::filesystem::path();
  if (result.has_failed()) return logger_.AbandonTrial(result.failure);
  CBOARD_RETURN_IF_ERROR(LogModel(model));
  // Rounds to four digits, because the accuracy becomes part of the directory's name.
  CBOARD_ASSIGN_OR_RETURN(const compression::TrialReport logged,
                          logger_.FinishTrial(std::round(*result.accuracy * 1e4) / 1e4));
  ++next_;
  return logged.directory;
}

void TrialEvents::Discard() {
  if (logdir_.empty() || !logger_.in_trial()) return;
  if (const auto directory = logger_.AbandonTrial("stopped")) {
    std::error_code ignored;
    std::filesystem::remove_all(*directory, ignored);
  }
}

Result<void> TrialEvents::LogModel(const std::filesystem::path& path) {
  CBOARD_ASSIGN_OR_RETURN(const model::ModelGraph model, model::OpenModel(path, run_.shapes));
  CBOARD_RETURN_IF_ERROR(logger_.AddGraph(compare::BuildGraphLog(model, {}).graph_def));
  struct LoggedOutput {
    std::string layer, tensor;
    std::string_view precision;
  };
  std::vector<LoggedOutput> outputs;
  std::set<std::string> tensors;
  for (const compare::ModelLayer& layer : compare::FindWeightLayers(model)) {
    if (layer.node == model::kNoNode || layer.weight == model::kNoTensor) continue;
    std::string name = compare::NameOf(model, layer);
    if (name.starts_with('/')) name.erase(0, 1);
    const auto weights = model.OpenWeights(layer.weight);
    if (!weights) continue;
    std::vector<float> values(weights->element_count());
    weights->Read(0, values);
    const bool is_quantized = weights->quantization() != nullptr;
    CBOARD_RETURN_IF_ERROR(logger_.AddParameter(
        name, "weight", TensorView(values, weights->shape()), is_quantized ? "int8" : "fp32"));
    if (layer.output == model::kNoTensor) continue;
    const bool has_codes =
        layer.quantized.has_value() && layer.quantized->after != model::kNoTensor;
    const std::string& tensor =
        model.tensor(has_codes ? layer.quantized->after : layer.output).name;
    if (model.tensor(layer.output).producer == model::kNoNode) continue;
    outputs.push_back({name, tensor, has_codes ? "int8" : "fp32"});
    tensors.insert(tensor);
  }
  runtime::CaptureOptions options;
  options.tensors = std::vector<std::string>(tensors.begin(), tensors.end());
  const auto capture = runtime::ModelCapture::Open(path, options);
  // For example, all nodes are in bodies of If or Loop.
  if (!capture || tensors.empty()) return {};
  CBOARD_ASSIGN_OR_RETURN(
      const auto samples,
      benchmark::OpenRunSamples(path, capture->session().inputs(), run_, kLoggedSamples));
  const runtime::ModelCapture* const models[] = {&*capture};
  const auto add = [&](const runtime::CapturedSample& sample) -> Result<void> {
    for (const LoggedOutput& output : outputs) {
      const TensorView* const values = sample.results[0].Find(output.tensor);
      if (values == nullptr || values->element_count() == 0) continue;
      CBOARD_RETURN_IF_ERROR(logger_.AddOutput(output.layer, *values, output.precision));
    }
    return {};
  };
  const auto captured = runtime::CaptureSamples(*samples, models, add);
  if (!captured) return Fail(captured.error());
  return {};
}

compression::TrialSettings SettingsOf(const TrialReport& trial,
                                      const std::vector<Reverted>& reverted) {
  compression::TrialSettings settings = {
      {"keep_float", Joined(trial.float_nodes)},
      {"16_bits", Joined(trial.wide_tensors)},
      {"4_bits", Joined(trial.narrow_nodes)},
      {"end_sqnr_db", std::round(trial.end_sqnr_db * 100) / 100},
      {"size_mb", static_cast<double>(trial.result.size_bytes) / 1e6},
      {"note", trial.note},
  };
  constexpr std::size_t kMaxLines = 30;
  for (std::size_t i = 0; i < std::min(reverted.size(), kMaxLines); ++i) {
    const Reverted& line = reverted[i];
    std::string text = line.change + ": ";
    if (line.gain_db) text += (*line.gain_db >= 0 ? "+" : "") + Rounded(*line.gain_db, 1) + " dB, ";
    text += (line.bytes < 0 ? "-" : "+") + HumanBytes(std::abs(static_cast<double>(line.bytes)));
    text += line.cost_ms ? ", " + Rounded(*line.cost_ms, 3) + " ms" : ", time not measured";
    if (!line.cause.empty()) text += ", " + line.cause;
    settings.emplace_back("reverted." + line.name, std::move(text));
  }
  return settings;
}

}  // namespace cboard::tune
