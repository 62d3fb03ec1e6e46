#include <simdjson.h>

#include <algorithm>
#include <string_view>

#include "benchmark/machine/kernel_files.h"
#include "benchmark/process/process.h"
#include "cboard/base/json_writer.h"
#include "cboard/base/strings.h"
#include "cboard/benchmark/resources.h"

namespace cboard::benchmark {
namespace {

constexpr double kMaxSeconds = 600;
constexpr int kRuns = 3;

// Returns a value of /proc/self/status in bytes. Example of a line: "VmHWM: 1234 kB".
std::uint64_t StatusBytes(std::string_view key) {
  const std::string text = ReadText("/proc/self/status").value_or("");
  for (std::string_view line : Split(text, '\n')) {
    if (!line.starts_with(key)) continue;
    line.remove_prefix(std::min(line.find_first_of("0123456789"), line.size()));
    return NumberIn(line).value_or(0) * 1024;
  }
  return 0;
}

}  // namespace

Result<MemoryUse> MeasureOwnMemory(const std::filesystem::path& model, const RunOptions& options) {
  CBOARD_RETURN_IF_ERROR(runtime::FindRuntime(options.library));
  MemoryUse use{.before_load_bytes = StatusBytes("VmRSS:")};
  CBOARD_ASSIGN_OR_RETURN(LoadedVariant variant, LoadedVariant::Open(model, options));
  for (int i = 0; i < kRuns; ++i) {
    CBOARD_RETURN_IF_ERROR(variant.RunOnce(static_cast<std::size_t>(i) % variant.sample_count()));
  }
  use.peak_bytes = StatusBytes("VmHWM:");
  CBOARD_ASSIGN_OR_RETURN(const auto statistics, variant.session().AllocatorStatistics());
  const auto peak = std::ranges::find(statistics, "MaxInUse", &runtime::AllocatorStatistic::name);
  if (peak != statistics.end()) {
    use.arena_peak_bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(0, peak->value));
  }
  return use;
}

std::string ToJson(const MemoryUse& memory) {
  JsonWriter json;
  json.BeginObject();
  json.Key("peak_bytes").Value(memory.peak_bytes);
  json.Key("before_load_bytes").Value(memory.before_load_bytes);
  json.Key("arena_peak_bytes").Value(memory.arena_peak_bytes);
  json.EndObject();
  return json.Take();
}

Result<MemoryUse> ParseMemoryUse(std::string text) {
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  MemoryUse use;
  if (parser.parse(text).get(root) != simdjson::SUCCESS ||
      root["peak_bytes"].get(use.peak_bytes) != simdjson::SUCCESS ||
      root["before_load_bytes"].get(use.before_load_bytes) != simdjson::SUCCESS ||
      root["arena_peak_bytes"].get(use.arena_peak_bytes) != simdjson::SUCCESS ||
      use.peak_bytes < use.before_load_bytes) {
    return Fail(ErrorCode::kDataLoss,
                "the process that measures memory printed " + Quoted(text) + " instead of JSON");
  }
  return use;
}

Result<MemoryUse> MeasureMemory(const std::filesystem::path& program,
                                const std::filesystem::path& model, const RunOptions& options) {
  std::vector<std::string> command = {program.string(),
                                      "benchmark",
                                      "--measure-memory",
                                      "--threads",
                                      std::to_string(options.threads),
                                      "--batch",
                                      std::to_string(options.batch),
                                      "--provider",
                                      options.provider};
  if (!options.data.empty()) command.insert(command.end(), {"--data", options.data.string()});
  for (const auto& [name, sizes] : options.shapes) {
    command.insert(command.end(), {"--shape", model::ToText(model::InputShapes{{name, sizes}})});
  }
  command.insert(command.end(), {"--", model.string()});
  CBOARD_ASSIGN_OR_RETURN(ProcessEnd end, RunProcess(command, kMaxSeconds));
  if (end.exit_code != 0) {
    while (end.errors.ends_with('\n')) end.errors.pop_back();
    return Fail(ErrorCode::kUnavailable, "the process that measures memory failed with exit code " +
                                             std::to_string(end.exit_code) + ": " + end.errors);
  }
  return ParseMemoryUse(std::move(end.output));
}

}  // namespace cboard::benchmark
