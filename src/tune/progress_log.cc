#include "tune/progress_log.h"

#include <algorithm>
#include <system_error>

#include "cboard/base/json_writer.h"

namespace cboard::tune {
namespace {

constexpr const char* kStopFile = "stop";
// Each event file has its own range of steps, so steps increase over all sessions.
constexpr std::int64_t kStepsPerFile = 1'000'000;

void WriteOptional(JsonWriter& json, const char* key, std::optional<double> value) {
  json.Key(key);
  if (value) {
    json.Value(*value);
  } else {
    json.Null();
  }
}

void WriteTexts(JsonWriter& json, const char* key, const std::vector<std::string>& texts) {
  json.Key(key).BeginArray();
  for (const std::string& text : texts) json.Value(text);
  json.EndArray();
}

void WriteTrial(JsonWriter& json, const TrialReport& trial) {
  json.BeginObject().Key("number").Value(trial.number);
  json.Key("run").Value(trial.log.filename().string()).Key("note").Value(trial.note);
  WriteOptional(json, "accuracy", trial.result.accuracy);
  json.Key("failure").Value(trial.result.failure);
  json.Key("size_bytes").Value(trial.result.size_bytes);
  WriteOptional(json, "latency_ms", trial.result.latency_ms);
  WriteOptional(json, "speedup", trial.result.speedup);
  WriteOptional(json, "energy_mj", trial.result.energy_mj);
  json.Key("end_sqnr_db").Value(trial.end_sqnr_db).Key("seconds").Value(trial.result.seconds);
  json.Key("is_met").Value(trial.is_met).Key("is_pareto").Value(trial.is_pareto);
  WriteTexts(json, "keep_float", trial.float_nodes);
  WriteTexts(json, "16_bits", trial.wide_tensors);
  WriteTexts(json, "4_bits", trial.narrow_nodes);
  json.Key("reverted").BeginArray();
  for (const Reverted& line : trial.reverted) WriteReverted(json, line);
  json.EndArray().EndObject();
}

}  // namespace

void WriteReverted(JsonWriter& json, const Reverted& line) {
  json.BeginObject().Key("name").Value(line.name).Key("op_type").Value(line.op_type);
  json.Key("change").Value(line.change);
  WriteOptional(json, "gain_db", line.gain_db);
  json.Key("bytes").Value(line.bytes);
  WriteOptional(json, "cost_ms", line.cost_ms);
  json.Key("cause").Value(line.cause).Key("explanation").Value(line.explanation).EndObject();
}

std::string ToJson(const ProgressState& state, const TuneReport& report,
                   const TuneOptions& options) {
  JsonWriter json;
  json.BeginObject().Key("version").Value(1);
  json.Key("phase").Value(state.phase).Key("step").Value(state.step).Key("trial");
  if (state.trial) {
    json.Value(*state.trial);
  } else {
    json.Null();
  }
  json.Key("model").Value(report.model.string()).Key("output").Value(report.output.string());
  json.Key("state").Value(report.state.string()).Key("metric").Value(report.metric);
  const bool is_lower = options.evaluation.better() == Better::kLower;
  json.Key("better").Value(is_lower ? "lower" : "higher");
  json.Key("objective").Value(NameOf(options.objective));
  json.Key("goals").BeginObject().Key("max_drop").Value(options.goals.max_drop.Text());
  json.Key("max_size_bytes");
  if (options.goals.max_size_bytes) {
    json.Value(*options.goals.max_size_bytes);
  } else {
    json.Null();
  }
  WriteOptional(json, "min_speedup", options.goals.min_speedup);
  json.EndObject();
  const bool has_baseline = report.baseline.accuracy.has_value();
  WriteOptional(json, "limit", has_baseline ? std::optional(report.limit) : std::nullopt);
  json.Key("evaluations").Value(report.evaluations);
  json.Key("max_evaluations").Value(options.max_evaluations);
  json.Key("measurements").Value(report.measurements);
  json.Key("elapsed_seconds").Value(state.elapsed_seconds);
  WriteOptional(json, "left_seconds", state.left_seconds);
  WriteOptional(json, "max_seconds",
                options.max_seconds > 0 ? std::optional(options.max_seconds) : std::nullopt);
  json.Key("baseline");
  if (has_baseline || !report.baseline.failure.empty()) {
    json.BeginObject();
    WriteOptional(json, "accuracy", report.baseline.accuracy);
    json.Key("failure").Value(report.baseline.failure);
    json.Key("size_bytes").Value(report.baseline.size_bytes);
    WriteOptional(json, "latency_ms", report.baseline.latency_ms);
    json.Key("seconds").Value(report.baseline.seconds).EndObject();
  } else {
    json.Null();
  }
  json.Key("trials").BeginArray();
  for (const TrialReport& trial : report.trials) WriteTrial(json, trial);
  json.EndArray().Key("best");
  if (report.best) {
    json.Value(report.trials[*report.best].number);
  } else {
    json.Null();
  }
  json.Key("predicted").BeginArray();
  for (const PredictedPoint& point : state.predicted) {
    json.BeginObject().Key("size_bytes").Value(point.size_bytes);
    json.Key("end_sqnr_db").Value(point.end_sqnr_db).Key("float_count").Value(point.float_count);
    json.Key("wide_count").Value(point.wide_count);
    json.Key("narrow_count").Value(point.narrow_count).EndObject();
  }
  json.EndArray().Key("is_met");
  const bool is_met = report.best && report.trials[*report.best].is_met;
  if (is_met || !state.can_stop) {
    json.Value(is_met);
  } else {
    json.Null();
  }
  json.Key("reason").Value(report.reason).Key("next_step").Value(report.next_step);
  json.Key("can_stop").Value(state.can_stop).EndObject();
  return json.Take();
}

ProgressLog::ProgressLog(std::filesystem::path logdir, std::filesystem::path state)
    : run_(logdir.empty() ? std::filesystem::path() : logdir / "search"), state_(std::move(state)) {
  RemoveStopRequests();
}

void ProgressLog::RemoveStopRequests() const {
  std::error_code ignored;
  if (!run_.empty()) std::filesystem::remove(run_ / kStopFile, ignored);
  std::filesystem::remove(state_ / kStopFile, ignored);
}

Result<void> ProgressLog::Write(const std::string& json) {
  if (run_.empty() || has_failed_) return {};
  if (!writer_) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(run_, error)) {
      if (entry.path().filename().string().find("tfevents") != std::string::npos) {
        step_ += kStepsPerFile;
      }
    }
    WriterOptions options;
    options.write_at_once = true;
    writer_ = std::make_unique<writer::SummaryWriter>(run_, options);
  }
  Result<void> written = writer_->AddText("tuning/progress", json, step_++);
  if (written) written = writer_->Flush();
  has_failed_ = !written;
  return written;
}

bool ProgressLog::IsStopRequested() {
  const auto now = std::chrono::steady_clock::now();
  if (is_stop_requested_ || now - last_look_ < std::chrono::milliseconds(200)) {
    return is_stop_requested_;
  }
  last_look_ = now;
  std::error_code ignored;
  is_stop_requested_ = (!run_.empty() && std::filesystem::exists(run_ / kStopFile, ignored)) ||
                       std::filesystem::exists(state_ / kStopFile, ignored);
  return is_stop_requested_;
}

}  // namespace cboard::tune
