#include <simdjson.h>

#include <algorithm>
#include <system_error>

#include "base/temporary_folder.h"
#include "cboard/base/file.h"
#include "cboard/base/strings.h"
#include "cboard/benchmark/statistics.h"
#include "cboard/benchmark/why_slower.h"

namespace cboard::benchmark {
namespace {

constexpr std::string_view kNodeTime = "_kernel_time";
constexpr int kProfiledRuns = 30;

}  // namespace

double ModelProfile::TotalUs() const {
  double sum = 0;
  for (const ProfiledNode& node : nodes_) sum += node.median_us;
  return sum;
}

std::map<std::string, double> ModelProfile::UsByOperator() const {
  std::map<std::string, double> times;
  for (const ProfiledNode& node : nodes_) times[node.op_type] += node.median_us;
  return times;
}

Result<std::vector<ProfiledNode>> ParseProfile(std::string_view text) {
  const auto refuse = [](std::string_view what) {
    return Fail(ErrorCode::kDataLoss,
                "the profile that ONNX Runtime wrote cannot be read: " + std::string(what));
  };
  simdjson::dom::parser parser;
  simdjson::dom::array events;
  if (parser.parse(simdjson::padded_string(text)).get(events) != simdjson::SUCCESS) {
    return refuse("it is not a JSON list");
  }
  struct Times {
    std::string op_type;
    std::vector<double> us;
  };
  std::map<std::string, Times, std::less<>> by_node;
  for (const simdjson::dom::element event : events) {
    std::string_view category, name, op_type;
    double us = 0;
    if (event["cat"].get(category) != simdjson::SUCCESS || category != "Node") continue;
    if (event["name"].get(name) != simdjson::SUCCESS || !name.ends_with(kNodeTime)) continue;
    if (event["dur"].get(us) != simdjson::SUCCESS || us < 0) continue;
    if (event["args"]["op_name"].get(op_type) != simdjson::SUCCESS) continue;
    name.remove_suffix(kNodeTime.size());
    Times& times = by_node[std::string(name)];
    times.op_type = op_type;
    times.us.push_back(us);
  }
  if (by_node.empty()) return refuse("it contains no node");
  std::vector<ProfiledNode> nodes;
  for (auto& [name, times] : by_node) {
    // Drops the first run, which also allocates memory.
    if (times.us.size() > 1) times.us.erase(times.us.begin());
    nodes.push_back({name, times.op_type, Median(std::move(times.us))});
  }
  std::ranges::stable_sort(nodes, std::greater(), &ProfiledNode::median_us);
  return nodes;
}

Result<ModelProfile> ProfileModel(const std::filesystem::path& model, const RunOptions& options) {
  const TemporaryFolder folder;
  if (folder.path().empty()) {
    return Fail(ErrorCode::kPermissionDenied,
                "the temporary folder cannot be written to; set TMPDIR to another folder");
  }
  runtime::SessionOptions session_options = SessionOptionsOf(options);
  session_options.profile_prefix = folder.path() / "profile";
  session_options.optimized_model = folder.path() / "optimized.onnx";
  CBOARD_ASSIGN_OR_RETURN(runtime::Session session, runtime::Session::Open(model, session_options));
  CBOARD_ASSIGN_OR_RETURN(const auto samples, OpenRunSamples(model, session.inputs(), options, 1));
  CBOARD_ASSIGN_OR_RETURN(const auto inputs, samples->Read(0));
  CBOARD_ASSIGN_OR_RETURN(runtime::PreparedRun run, session.Prepare(inputs));
  for (int i = 0; i < kProfiledRuns; ++i) CBOARD_RETURN_IF_ERROR(run.Run());
  CBOARD_ASSIGN_OR_RETURN(const std::filesystem::path file, session.EndProfiling());
  CBOARD_ASSIGN_OR_RETURN(const std::string text, ReadFile(file));
  CBOARD_ASSIGN_OR_RETURN(std::vector<ProfiledNode> nodes, ParseProfile(text));
  CBOARD_ASSIGN_OR_RETURN(model::ModelGraph graph,
                          model::OpenModel(session_options.optimized_model));
  return ModelProfile(std::move(nodes), std::move(graph));
}

std::vector<OperatorTime> CompareOperators(const ModelProfile& baseline,
                                           const ModelProfile& variant, std::size_t max_count) {
  std::map<std::string, OperatorTime> by_operator;
  for (const auto& [op_type, us] : baseline.UsByOperator()) by_operator[op_type].baseline_us = us;
  for (const auto& [op_type, us] : variant.UsByOperator()) by_operator[op_type].variant_us = us;
  std::vector<OperatorTime> times;
  for (auto& [op_type, time] : by_operator) {
    time.op_type = op_type;
    times.push_back(time);
  }
  std::ranges::stable_sort(times, std::greater(), [](const OperatorTime& time) {
    return std::max(time.baseline_us, time.variant_us);
  });
  if (times.size() > max_count) times.resize(max_count);
  return times;
}

}  // namespace cboard::benchmark
