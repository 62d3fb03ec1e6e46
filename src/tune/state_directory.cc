#include "tune/state_directory.h"

#include <simdjson.h>

#include "cboard/base/durable_files.h"
#include "cboard/base/file.h"
#include "cboard/base/json_writer.h"
#include "cboard/base/strings.h"

namespace cboard::tune {
namespace {

constexpr std::size_t kMaxStateBytes = std::size_t{256} << 20;

}  // namespace

Result<void> CopyDurably(const std::filesystem::path& from, const std::filesystem::path& to) {
  CBOARD_ASSIGN_OR_RETURN(const std::string content, ReadFile(from));
  return WriteFileDurably(to, content);
}

std::string ToJson(const TrialResult& result) {
  JsonWriter json;
  const auto optional = [&](const char* key, std::optional<double> value) {
    json.Key(key);
    if (value) {
      json.Value(*value);
    } else {
      json.Null();
    }
  };
  json.BeginObject();
  optional("accuracy", result.accuracy);
  json.Key("metrics").BeginObject();
  for (const auto& [name, value] : result.metrics) json.Key(name).Value(value);
  json.EndObject();
  json.Key("per_item").BeginArray();
  for (const double value : result.per_item) json.Value(value);
  json.EndArray();
  json.Key("failure").Value(result.failure);
  optional("speedup", result.speedup);
  optional("latency_ms", result.latency_ms);
  optional("energy_mj", result.energy_mj);
  json.Key("evaluated_samples").Value(result.evaluated_samples);
  json.Key("size_bytes").Value(result.size_bytes);
  json.Key("seconds").Value(result.seconds);
  json.EndObject();
  return json.Take();
}

Result<TrialResult> ParseTrialResult(std::string_view text) {
  const auto damaged = [] {
    return Fail(ErrorCode::kDataLoss,
                "this is not a trial result that 'compression-board tune' wrote; remove the file "
                "to repeat this trial");
  };
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  if (parser.parse(simdjson::padded_string(text)).get(object) != simdjson::SUCCESS) {
    return damaged();
  }
  TrialResult result;
  const auto number = [&](const char* key) -> std::optional<double> {
    double value = 0;
    if (object[key].get(value) != simdjson::SUCCESS) return {};
    return value;
  };
  result.accuracy = number("accuracy");
  result.speedup = number("speedup");
  result.latency_ms = number("latency_ms");
  result.energy_mj = number("energy_mj");
  result.evaluated_samples = static_cast<std::size_t>(number("evaluated_samples").value_or(0));
  result.seconds = number("seconds").value_or(0);
  std::string_view failure;
  if (object["failure"].get(failure) != simdjson::SUCCESS) return damaged();
  result.failure = failure;
  if (object["size_bytes"].get(result.size_bytes) != simdjson::SUCCESS) return damaged();
  simdjson::dom::object metrics;
  if (object["metrics"].get(metrics) == simdjson::SUCCESS) {
    for (const auto& [name, value] : metrics) {
      double measured = 0;
      if (value.get(measured) == simdjson::SUCCESS) result.metrics.emplace(name, measured);
    }
  }
  simdjson::dom::array items;
  if (object["per_item"].get(items) == simdjson::SUCCESS) {
    for (const auto& value : items) {
      double measured = 0;
      if (value.get(measured) == simdjson::SUCCESS) result.per_item.push_back(measured);
    }
  }
  if (result.has_failed() && result.failure.empty()) return damaged();
  return result;
}

Result<StateDirectory> StateDirectory::Open(std::filesystem::path directory, const std::string& job,
                                            bool is_resumed) {
  StateDirectory state(std::move(directory));
  const std::filesystem::path& path = state.directory_;
  std::error_code error;
  const bool has_job = std::filesystem::exists(path / "job.json", error);
  const bool is_finished = std::filesystem::exists(path / "report.json", error);
  const std::string quoted = Quoted(path.string(), 1000);
  if (has_job && is_resumed) {
    CBOARD_ASSIGN_OR_RETURN(const std::string earlier, ReadFile(path / "job.json", kMaxStateBytes));
    if (earlier == job) return state;
    return Fail(ErrorCode::kFailedPrecondition,
                "cannot resume the tuning in " + quoted +
                    ": model, data or settings are different; use the same command as before, or "
                    "start again without --resume and with another directory for --state");
  }
  if (has_job && !is_finished) {
    return Fail(ErrorCode::kFailedPrecondition,
                "an unfinished tuning exists in " + quoted +
                    "; continue it with --resume, or remove the directory to start again");
  }
  if (!has_job && std::filesystem::exists(path, error) && !std::filesystem::is_empty(path, error)) {
    return Fail(ErrorCode::kFailedPrecondition, quoted +
                                                    " is not empty, and contains no state of a "
                                                    "tuning; give another directory with --state");
  }
  if (has_job) {
    // The report is removed first: a partly removed directory without a report counts as
    // unfinished.
    std::filesystem::remove(path / "report.json", error);
    std::filesystem::remove_all(path, error);
  }
  CBOARD_RETURN_IF_ERROR(CreateDirectories(path));
  CBOARD_RETURN_IF_ERROR(WriteFileDurably(path / "job.json", job));
  return state;
}

std::filesystem::path StateDirectory::TrialPath(int number) const {
  return directory_ / ("trial_" + std::to_string(number));
}

Result<std::optional<TrialResult>> StateDirectory::ReadResult(int number) const {
  const std::filesystem::path path = TrialPath(number) / "result.json";
  auto text = ReadFile(path, kMaxStateBytes);
  if (!text && text.error().code == ErrorCode::kNotFound) return std::optional<TrialResult>();
  if (!text) return Fail(std::move(text).error());
  auto result = ParseTrialResult(*text);
  if (!result) return Fail(Annotate(std::move(result).error(), Quoted(path.string(), 1000)));
  return std::optional<TrialResult>(*std::move(result));
}

Result<void> StateDirectory::StoreResult(int number, const TrialResult& result) const {
  return WriteFileDurably(TrialPath(number) / "result.json", ToJson(result));
}

Result<std::map<std::string, double>> StateDirectory::ReadMeasurements() const {
  std::map<std::string, double> measurements;
  const auto text = ReadFile(directory_ / "measurements.jsonl", kMaxStateBytes);
  if (!text) return measurements;
  for (const std::string_view line : Split(*text, '\n')) {
    simdjson::dom::parser parser;
    simdjson::dom::element root;
    std::string_view key;
    double noise = 0;
    if (line.empty() ||
        parser.parse(simdjson::padded_string(line)).get(root) != simdjson::SUCCESS ||
        root["changes"].get(key) != simdjson::SUCCESS ||
        root["noise"].get(noise) != simdjson::SUCCESS) {
      continue;
    }
    measurements.emplace(key, noise);
  }
  return measurements;
}

Result<void> StateDirectory::AddMeasurement(const std::string& key, double noise) const {
  CBOARD_ASSIGN_OR_RETURN(File file, File::OpenForAppending(directory_ / "measurements.jsonl"));
  JsonWriter json;
  json.BeginObject().Key("changes").Value(key).Key("noise").Value(noise).EndObject();
  // The leading newline ends an incomplete line of an interrupted session.
  return file.Write(AsBytes("\n" + json.Take()));
}

Result<void> StateDirectory::StoreReport(const std::string& json) const {
  return WriteFileDurably(directory_ / "report.json", json);
}

}  // namespace cboard::tune
