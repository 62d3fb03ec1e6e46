#include "cboard/tune/tune.h"

#include <algorithm>
#include <system_error>

#include "benchmark/files/file_hash.h"
#include "cboard/base/json_writer.h"
#include "cboard/base/strings.h"
#include "tune/tuner.h"

namespace cboard::tune {
namespace {

// Identifies data: a digest of a file, or names and sizes of the files in a directory.
Result<std::string> DescribeData(const std::filesystem::path& path) {
  std::error_code error;
  if (path.empty()) return std::string("random");
  if (!std::filesystem::is_directory(path, error)) return benchmark::HashFile(path);
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(path, error)) {
    files.push_back(entry.path().filename().string() + " " +
                    std::to_string(entry.is_regular_file(error) ? entry.file_size(error) : 0));
  }
  std::ranges::sort(files);
  std::string text;
  for (const std::string& file : files) text += file + "\n";
  return text;
}

// Describes all settings that influence the result. Limits of time and evaluations are not
// included, so a resumed tuning may have other limits.
Result<std::string> DescribeJob(const TuneOptions& options) {
  CBOARD_ASSIGN_OR_RETURN(const std::string model, benchmark::HashFile(options.model));
  CBOARD_ASSIGN_OR_RETURN(const std::string data, DescribeData(options.quantize.data));
  CBOARD_ASSIGN_OR_RETURN(const std::string evaluated, DescribeData(options.evaluation.run.data));
  CBOARD_ASSIGN_OR_RETURN(const std::string labels,
                          DescribeData(options.evaluation.options.labels));
  JsonWriter json;
  json.BeginObject();
  json.Key("model").Value(model).Key("data").Value(data);
  json.Key("evaluation_data").Value(evaluated).Key("labels").Value(labels);
  json.Key("labels_array").Value(options.evaluation.options.labels_array);
  json.Key("metric").Value(options.evaluation.MetricKey());
  json.Key("command").Value(options.evaluation.options.command);
  json.Key("max_drop").Value(options.goals.max_drop.Text());
  json.Key("max_size_bytes").Value(options.goals.max_size_bytes.value_or(0));
  json.Key("min_speedup").Value(options.goals.min_speedup.value_or(0));
  json.Key("objective").Value(NameOf(options.objective));
  json.Key("precision").Value(NameOf(options.quantize.precision));
  json.Key("target").Value(NameOf(options.quantize.target));
  json.Key("ranges").Value(NameOf(options.quantize.ranges));
  json.Key("max_samples").Value(options.quantize.max_samples);
  json.Key("seed").Value(options.quantize.seed);
  json.Key("keep_float").BeginArray();
  for (const std::string& pattern : options.quantize.keep_float) json.Value(pattern);
  json.EndArray().EndObject();
  return json.Take();
}

}  // namespace

Result<Objective> ObjectiveOf(std::string_view name) {
  if (name == "size") return Objective::kSize;
  if (name == "latency") return Objective::kLatency;
  if (name == "energy") return Objective::kEnergy;
  return Fail(ErrorCode::kInvalidArgument,
              "--objective is " + Quoted(name) + "; expected size, latency or energy");
}

std::string_view NameOf(Objective objective) {
  constexpr std::string_view kNames[] = {"size", "latency", "energy"};
  return kNames[static_cast<std::size_t>(objective)];
}

std::filesystem::path StatePath(const TuneOptions& options) {
  return options.state.empty() ? std::filesystem::path(options.output.string() + ".tune")
                               : options.state;
}

Result<TuneReport> TuneModel(const TuneOptions& options) {
  CBOARD_ASSIGN_OR_RETURN(const std::string job, DescribeJob(options));
  CBOARD_ASSIGN_OR_RETURN(StateDirectory state,
                          StateDirectory::Open(StatePath(options), job, options.is_resumed));
  const std::filesystem::path directory = state.path();
  Result<TuneReport> report = Tuner(options, std::move(state)).Run();
  std::error_code error;
  if (!report && !std::filesystem::exists(directory / "trial_0" / "result.json", error)) {
    // If nothing was evaluated, the state is removed, so that the next tuning may use other
    // settings.
    std::filesystem::remove_all(directory, error);
  }
  return report;
}

std::string ToJson(const TuneReport& report) {
  JsonWriter json;
  const auto texts = [&](const char* key, const std::vector<std::string>& values) {
    json.Key(key).BeginArray();
    for (const std::string& value : values) json.Value(value);
    json.EndArray();
  };
  json.BeginObject();
  json.Key("model").Value(report.model.string());
  json.Key("output").Value(report.output.string());
  json.Key("state").Value(report.state.string());
  json.Key("metric").Value(report.metric);
  json.Key("is_met").Value(report.is_met);
  json.Key("is_output_written").Value(report.is_output_written);
  json.Key("is_output_measured").Value(report.is_output_measured);
  json.Key("reason").Value(report.reason);
  json.Key("next_step").Value(report.next_step);
  json.Key("limit").Value(report.limit);
  json.Key("evaluations").Value(report.evaluations);
  json.Key("measurements").Value(report.measurements);
  json.Key("baseline").Raw(ToJson(report.baseline));
  json.Key("best");
  if (report.best) {
    json.Value(report.trials[*report.best].number);
  } else {
    json.Null();
  }
  json.Key("trials").BeginArray();
  for (const TrialReport& trial : report.trials) {
    json.BeginObject();
    json.Key("number").Value(trial.number);
    json.Key("note").Value(trial.note);
    json.Key("end_sqnr_db").Value(trial.end_sqnr_db);
    json.Key("is_met").Value(trial.is_met).Key("is_pareto").Value(trial.is_pareto);
    texts("keep_float", trial.float_nodes);
    texts("16_bits", trial.wide_tensors);
    texts("4_bits", trial.narrow_nodes);
    json.Key("model").Value(trial.model.string()).Key("log").Value(trial.log.string());
    json.Key("result").Raw(ToJson(trial.result));
    json.EndObject();
  }
  json.EndArray().Key("reverted").BeginArray();
  for (const Reverted& line : report.reverted) WriteReverted(json, line);
  json.EndArray();
  json.Key("contract").Value(report.contract);
  texts("notes", report.notes);
  json.EndObject();
  return json.Take();
}

}  // namespace cboard::tune
