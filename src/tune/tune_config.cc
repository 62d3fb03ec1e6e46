#include "cboard/tune/tune_config.h"

#include <algorithm>

#include "cboard/base/strings.h"
#include "cboard/compression/tuning_config.h"

namespace cboard::tune {
namespace {

constexpr std::string_view kOpWise = "quantization.op_wise.";

Result<double> NumberOf(const std::string& key, const writer::HParam& value) {
  if (const double* const number = std::get_if<double>(&value); number && *number >= 0) {
    return *number;
  }
  return Fail(ErrorCode::kInvalidArgument,
              "the setting " + Quoted(key) +
                  " of the configuration must be a number of 0 or more; correct it");
}

// Adds "conv1" of the key "quantization.op_wise.conv1.activation.dtype" to the nodes in float if
// the value is [fp32].
bool AddFloatNode(const std::string& key, const writer::HParam& value, TuneOptions& options) {
  if (!key.starts_with(kOpWise)) return false;
  std::string_view node = std::string_view(key).substr(kOpWise.size());
  const std::string* const types = std::get_if<std::string>(&value);
  for (const std::string_view ending : {".activation.dtype", ".weight.dtype"}) {
    if (!node.ends_with(ending) || types == nullptr || (*types != "[fp32]" && *types != "fp32")) {
      continue;
    }
    node.remove_suffix(ending.size());
    std::vector<std::string>& kept = options.quantize.keep_float;
    if (std::ranges::find(kept, node) == kept.end()) kept.emplace_back(node);
    return true;
  }
  return false;
}

}  // namespace

Result<AppliedConfig> ApplyConfig(const std::filesystem::path& file, TuneOptions& options) {
  CBOARD_ASSIGN_OR_RETURN(const compression::TuningConfig config,
                          compression::ReadTuningConfig(file));
  AppliedConfig applied{.logs = config.tensorboard, .ignored = {}};
  for (const auto& [key, value] : config.settings) {
    if (AddFloatNode(key, value, options)) continue;
    if (key == "tuning.accuracy_criterion.relative") {
      CBOARD_ASSIGN_OR_RETURN(const double share, NumberOf(key, value));
      options.goals.max_drop = {share * 100, MaxDrop::Kind::kRelative};
    } else if (key == "tuning.accuracy_criterion.absolute") {
      CBOARD_ASSIGN_OR_RETURN(const double drop, NumberOf(key, value));
      options.goals.max_drop = {drop, MaxDrop::Kind::kAbsolute};
    } else if (key == "tuning.exit_policy.timeout" || key == "tuning.timeout") {
      CBOARD_ASSIGN_OR_RETURN(options.max_seconds, NumberOf(key, value));
    } else if (key == "tuning.exit_policy.max_trials" || key == "tuning.max_trials") {
      CBOARD_ASSIGN_OR_RETURN(const double trials, NumberOf(key, value));
      if (trials < 1 || trials > 10'000) {
        return Fail(ErrorCode::kInvalidArgument, Quoted(key) + " must be 1 to 10,000");
      }
      options.max_evaluations = static_cast<std::size_t>(trials);
    } else if (key == "tuning.random_seed") {
      CBOARD_ASSIGN_OR_RETURN(const double seed, NumberOf(key, value));
      options.quantize.seed = static_cast<std::uint64_t>(seed);
    } else if (key == "tuning.workspace.path") {
      if (const auto* const path = std::get_if<std::string>(&value)) options.state = *path;
    } else {
      applied.ignored.push_back(key);
    }
  }
  return applied;
}

}  // namespace cboard::tune
