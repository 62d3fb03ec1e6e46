#include "tune/tuner.h"

#include <algorithm>
#include <cmath>
#include <system_error>

#include "cboard/base/durable_files.h"
#include "cboard/base/file.h"
#include "cboard/base/json_writer.h"
#include "cboard/base/strings.h"

namespace cboard::tune {
namespace {

std::uint64_t SizeOfModel(const std::filesystem::path& model) {
  std::error_code error;
  std::uint64_t bytes = std::filesystem::file_size(model, error);
  if (error) return 0;
  const std::filesystem::path data = model.string() + ".data";
  const std::uint64_t more = std::filesystem::file_size(data, error);
  if (!error) bytes += more;
  return bytes;
}

std::string Number(double value) { return ShortestDecimal(std::round(value * 1e4) / 1e4); }

}  // namespace

Tuner::Tuner(const TuneOptions& options, StateDirectory state)
    : options_(options), state_(std::move(state)), better_(options.evaluation.better()) {
  const auto stop = [this] { return options_.progress && !options_.progress("evaluating"); };
  const bool measures_latency =
      options_.objective == Objective::kLatency || options_.goals.min_speedup.has_value();
  executor_ = MakeLocalExecutor(options_.model, options_.evaluation, measures_latency, stop);
  events_ =
      std::make_unique<TrialEvents>(options_.logdir, options_.evaluation.run, options_.is_resumed);
  report_.model = options_.model;
  report_.output = options_.output;
  report_.state = state_.path();
  report_.metric = options_.evaluation.MetricKey();
}

void Tuner::Say(const std::string& line) const {
  if (options_.on_line) options_.on_line(line);
}

Result<void> Tuner::CheckStop(std::string_view step) const {
  if (!options_.progress || options_.progress(step)) return {};
  return Fail(ErrorCode::kUnavailable, "the tuning was stopped");
}

bool Tuner::IsOutOfTime() const {
  if (options_.max_seconds <= 0) return false;
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin_;
  // The next trial takes about as long as the baseline's evaluation.
  return elapsed.count() + report_.baseline.seconds > options_.max_seconds;
}

Result<TuneReport> Tuner::Run() {
  const auto work = [&]() -> Result<void> {
    CBOARD_RETURN_IF_ERROR(Quantize());
    CBOARD_RETURN_IF_ERROR(EvaluateBaseline());
    if (report_.baseline.has_failed()) return WriteUnmeasuredOutput();
    return Search();
  };
  Result<void> done = work();
  const bool is_stopped = !done && done.error().code == ErrorCode::kUnavailable &&
                          options_.progress && !options_.progress("stopping");
  if (!done && !is_stopped) return Fail(std::move(done).error());
  if (is_stopped) stopped_ = "the tuning was stopped; continue it with --resume";
  if (quantizer_)
    report_.notes.insert(report_.notes.end(), quantizer_->notes().begin(),
                         quantizer_->notes().end());
  MarkPareto();
  CBOARD_RETURN_IF_ERROR(WriteOutput());
  if (report_.best && explanations_ && !is_stopped) {
    CBOARD_ASSIGN_OR_RETURN(report_.reverted,
                            explanations_->Of(changes_[*report_.best], *meter_, sources_));
  }
  if (meter_) report_.measurements = meter_->measured_count();
  Describe();
  if (!is_stopped) CBOARD_RETURN_IF_ERROR(state_.StoreReport(ToJson(report_)));
  return report_;
}

Result<void> Tuner::Quantize() {
  CBOARD_RETURN_IF_ERROR(CheckStop("calibrating"));
  // Which operators stay in float is the search's own choice, made for the goal and explained.
  quantize::QuantizeOptions settings = options_.quantize;
  settings.repair = false;
  CBOARD_ASSIGN_OR_RETURN(quantizer_, quantize::ModelQuantizer::Open(options_.model, settings));
  CBOARD_RETURN_IF_ERROR(quantizer_->Calibrate());
  CBOARD_RETURN_IF_ERROR(CheckStop("choosing ranges"));
  CBOARD_ASSIGN_OR_RETURN(choice_, quantize::ChoosePlan(*quantizer_));
  CBOARD_ASSIGN_OR_RETURN(auto known, state_.ReadMeasurements());
  meter_ = std::make_unique<EndMeter>(
      *quantizer_, choice_.plan, std::move(known),
      [this](const std::string& key, double noise) { return state_.AddMeasurement(key, noise); });
  meter_->StopWhen([this] { return options_.progress && !options_.progress("ranking operators"); });
  sources_ = FindErrorSources(choice_.plan);
  return {};
}

Result<TrialResult> Tuner::Execute(const TrialJob& job) {
  CBOARD_ASSIGN_OR_RETURN(std::vector<TrialResult> results, executor_->Run({&job, 1}));
  results[0].size_bytes = SizeOfModel(job.model);
  return std::move(results[0]);
}

Result<void> Tuner::EvaluateBaseline() {
  CBOARD_RETURN_IF_ERROR(CheckStop("evaluating the baseline"));
  CBOARD_ASSIGN_OR_RETURN(auto known, state_.ReadResult(0));
  const TrialJob job{0, state_.TrialPath(0), options_.model};
  if (known) {
    report_.baseline = *std::move(known);
  } else {
    CBOARD_RETURN_IF_ERROR(CreateDirectories(job.directory));
    CBOARD_ASSIGN_OR_RETURN(report_.baseline, Execute(job));
    // Nothing can be compared without it, so that one failure is not final.
    if (report_.baseline.has_failed()) {
      CBOARD_ASSIGN_OR_RETURN(report_.baseline, Execute(job));
    }
  }
  if (!report_.baseline.has_failed()) {
    report_.limit = options_.goals.max_drop.Limit(*report_.baseline.accuracy, better_);
    CBOARD_RETURN_IF_ERROR(events_->Log(options_.model, report_.baseline, {}));
    const double seconds = report_.baseline.seconds * static_cast<double>(options_.max_evaluations);
    Say("baseline: " + report_.metric + " " + Number(*report_.baseline.accuracy) + ", " +
        HumanBytes(static_cast<double>(report_.baseline.size_bytes)) +
        "; goal: " + Number(report_.limit) + " or " +
        (better_ == compression::Better::kLower ? "less" : "more"));
    Say("at most " + std::to_string(options_.max_evaluations) + " evaluations, about " +
        Number(std::ceil(seconds)) + " s");
  }
  if (!known) return state_.StoreResult(0, report_.baseline);
  return {};
}

bool Tuner::Meets(const TrialResult& result) const {
  const Goals& goals = options_.goals;
  return result.accuracy && IsAsGood(*result.accuracy, report_.limit, better_) &&
         (!goals.max_size_bytes || result.size_bytes <= *goals.max_size_bytes) &&
         (!goals.min_speedup || result.speedup.value_or(0) >= *goals.min_speedup);
}

Result<const TrialReport*> Tuner::RunTrial(const PlanChanges& changes, const std::string& note) {
  TrialReport trial{.number = static_cast<int>(report_.trials.size()) + 1, .note = note};
  const std::filesystem::path directory = state_.TrialPath(trial.number);
  trial.model = directory / "model.onnx";
  CBOARD_ASSIGN_OR_RETURN(const double noise, meter_->Noise(changes));
  trial.end_sqnr_db = DbOf(noise);
  for (const std::string& node : changes.float_nodes) {
    trial.float_nodes.push_back(choice_.plan.nodes.at(node).node);
  }
  trial.wide_tensors.assign(changes.wide_tensors.begin(), changes.wide_tensors.end());
  CBOARD_ASSIGN_OR_RETURN(auto known, state_.ReadResult(trial.number));
  JsonWriter settings;
  settings.BeginObject().Key("keep_float").BeginArray();
  for (const std::string& node : trial.float_nodes) settings.Value(node);
  settings.EndArray().Key("16_bits").BeginArray();
  for (const std::string& tensor : trial.wide_tensors) settings.Value(tensor);
  settings.EndArray().Key("end_sqnr_db").Value(trial.end_sqnr_db);
  settings.Key("note").Value(note).EndObject();
  // A resumed tuning with more evaluations may try something else under this number.
  const bool is_other = known && ReadFile(directory / "settings.json") != settings.text();
  if (is_other) known.reset();
  const bool is_known = known.has_value();
  if (is_known) {
    trial.result = *std::move(known);
  } else {
    CBOARD_RETURN_IF_ERROR(WriteOutput());
    CBOARD_RETURN_IF_ERROR(CheckStop("trial " + std::to_string(trial.number)));
    CBOARD_RETURN_IF_ERROR(CreateDirectories(directory));
    std::error_code ignored;
    std::filesystem::remove(directory / "result.json", ignored);
    CBOARD_RETURN_IF_ERROR(WriteFileDurably(directory / "settings.json", settings.text()));
    CBOARD_RETURN_IF_ERROR(quantizer_->Save(meter_->PlanWith(changes), trial.model));
    CBOARD_ASSIGN_OR_RETURN(trial.result, Execute({trial.number, directory, trial.model}));
  }
  trial.is_met = Meets(trial.result);
  if (!explanations_ && !trial.result.has_failed()) {
    explanations_ = std::make_unique<Explanations>(options_.model, trial.model,
                                                   options_.evaluation.run, options_.explains);
  }
  if (!options_.logdir.empty()) {
    std::vector<Reverted> reverted;
    if (explanations_ && !is_known) {
      CBOARD_ASSIGN_OR_RETURN(reverted, explanations_->Of(changes, *meter_, sources_));
    }
    CBOARD_ASSIGN_OR_RETURN(
        trial.log, events_->Log(trial.model, trial.result, SettingsOf(trial, reverted), is_other));
  }
  report_.trials.push_back(trial);
  changes_.push_back(changes);
  ++report_.evaluations;
  ChooseBest();
  if (!is_known) {
    // The output first: once a trial has ended, its model or a better one is there.
    CBOARD_RETURN_IF_ERROR(WriteOutput());
    CBOARD_RETURN_IF_ERROR(state_.StoreResult(trial.number, trial.result));
  }
  Say("trial " + std::to_string(trial.number) + ": " +
      (trial.result.has_failed()
           ? "failed: " + trial.result.failure
           : report_.metric + " " + Number(*trial.result.accuracy) + ", " +
                 HumanBytes(static_cast<double>(trial.result.size_bytes)) + ", end SQNR " +
                 Number(trial.end_sqnr_db) + " dB" + (trial.is_met ? ": meets the goals" : "")) +
      " (" + note + ")");
  return &report_.trials.back();
}

void Tuner::ChooseBest() {
  const auto is_better = [&](const TrialReport& one, const TrialReport& other) {
    if (one.result.has_failed() != other.result.has_failed()) return other.result.has_failed();
    if (one.result.has_failed()) return false;
    if (one.is_met != other.is_met) return one.is_met;
    if (one.is_met) {
      if (options_.objective == Objective::kLatency && one.result.speedup && other.result.speedup) {
        return *one.result.speedup > *other.result.speedup;
      }
      if (one.result.size_bytes != other.result.size_bytes) {
        return one.result.size_bytes < other.result.size_bytes;
      }
      const auto changed = [](const TrialReport& trial) {
        return trial.float_nodes.size() + trial.wide_tensors.size();
      };
      return changed(one) < changed(other);
    }
    if (*one.result.accuracy != *other.result.accuracy) {
      return IsAsGood(*one.result.accuracy, *other.result.accuracy, better_);
    }
    return one.result.size_bytes < other.result.size_bytes;
  };
  const std::size_t last = report_.trials.size() - 1;
  if (report_.trials[last].result.has_failed()) return;
  if (report_.best && !is_better(report_.trials[last], report_.trials[*report_.best])) return;
  report_.best = last;
  is_output_current_ = false;
}

Result<void> Tuner::WriteOutput() {
  if (is_output_current_ || !report_.best) return {};
  const std::filesystem::path& model = report_.trials[*report_.best].model;
  std::error_code error;
  if (std::filesystem::exists(model.string() + ".data", error)) {
    // External data is named in the model, so that it is written again under the output's name.
    CBOARD_RETURN_IF_ERROR(
        quantizer_->Save(meter_->PlanWith(changes_[*report_.best]), options_.output));
  } else {
    CBOARD_RETURN_IF_ERROR(CopyDurably(model, options_.output));
  }
  is_output_current_ = true;
  report_.is_output_measured = true;
  return {};
}

Result<void> Tuner::WriteUnmeasuredOutput() {
  CBOARD_RETURN_IF_ERROR(quantizer_->Save(choice_.plan, options_.output));
  return {};
}

void Tuner::MarkPareto() {
  for (TrialReport& trial : report_.trials) {
    if (trial.result.has_failed()) continue;
    trial.is_pareto = std::ranges::none_of(report_.trials, [&](const TrialReport& other) {
      if (other.result.has_failed() || other.number == trial.number) return false;
      const bool is_as_good = IsAsGood(*other.result.accuracy, *trial.result.accuracy, better_) &&
                              other.result.size_bytes <= trial.result.size_bytes;
      const bool is_equal = *other.result.accuracy == *trial.result.accuracy &&
                            other.result.size_bytes == trial.result.size_bytes;
      return is_as_good && (!is_equal || other.number < trial.number);
    });
  }
}

}  // namespace cboard::tune
