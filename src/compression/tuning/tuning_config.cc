#include "cboard/compression/tuning_config.h"

#include <yaml-cpp/yaml.h>

#include <charconv>
#include <cmath>

#include "cboard/base/file.h"
#include "cboard/base/strings.h"

namespace cboard::compression {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{1} << 20;
constexpr std::size_t kMaxSettings = 2000;
constexpr int kMaxDepth = 32;  // Also stops at aliases that contain themselves.

std::string PlaceOf(const YAML::Mark& mark) {
  return "line " + std::to_string(mark.line + 1) + ", column " + std::to_string(mark.column + 1);
}

Error Exhausted(std::string_view what) {
  return {ErrorCode::kResourceExhausted, std::string(what)};
}

// Converts a scalar: true, 8 and 0.01 keep their types; other values and quoted values are text.
writer::HParam ValueOf(const YAML::Node& scalar) {
  const std::string& text = scalar.Scalar();
  if (scalar.Tag() == "!") return text;  // The value is quoted.
  if (text == "true" || text == "True") return true;
  if (text == "false" || text == "False") return false;
  double number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
  if (whole && std::isfinite(number)) return number;
  return text;
}

class Flattener {
 public:
  explicit Flattener(TrialSettings& settings) : settings_(settings) {}

  Result<void> Add(const std::string& path, const YAML::Node& node, int depth = 0) {
    if (depth > kMaxDepth)
      return Fail(Exhausted("the configuration is nested deeper than 32 levels; make it flatter"));
    if (++visited_ > kMaxSettings)
      return Fail(
          Exhausted("the configuration has more than 2000 settings; log only the important ones"));
    if (node.IsMap()) {
      for (const auto& entry : node) {
        const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : std::string("?");
        CBOARD_RETURN_IF_ERROR(Add(path + "." + key, entry.second, depth + 1));
      }
    } else if (node.IsSequence()) {
      std::string text;
      CBOARD_RETURN_IF_ERROR(AppendText(node, depth, text));
      settings_.emplace_back(path, std::move(text));
    } else if (node.IsScalar()) {
      settings_.emplace_back(path, ValueOf(node));
    }
    return {};
  }

 private:
  // Converts a list to text, such as "[fp32, [1, 2], {a: b}]".
  Result<void> AppendText(const YAML::Node& node, int depth, std::string& text) {
    if (depth > kMaxDepth)
      return Fail(Exhausted("the configuration is nested deeper than 32 levels; make it flatter"));
    if (++visited_ > kMaxSettings)
      return Fail(
          Exhausted("the configuration has more than 2000 settings; log only the important ones"));
    if (node.IsSequence()) {
      text += '[';
      const char* separator = "";
      for (const YAML::Node& item : node) {
        text += std::exchange(separator, ", ");
        CBOARD_RETURN_IF_ERROR(AppendText(item, depth + 1, text));
      }
      text += ']';
    } else if (node.IsMap()) {
      text += '{';
      const char* separator = "";
      for (const auto& entry : node) {
        text += std::exchange(separator, ", ");
        CBOARD_RETURN_IF_ERROR(AppendText(entry.first, depth + 1, text));
        text += ": ";
        CBOARD_RETURN_IF_ERROR(AppendText(entry.second, depth + 1, text));
      }
      text += '}';
    } else {
      text += node.IsScalar() ? node.Scalar() : std::string("null");
    }
    if (text.size() > kMaxBytes)
      return Fail(Exhausted("a list of the configuration has more than 1 MiB of text; shorten it"));
    return {};
  }

  TrialSettings& settings_;
  std::size_t visited_ = 0;
};

Result<void> ReadTensorboard(const YAML::Node& parent, bool& tensorboard) {
  const YAML::Node flag = parent["tensorboard"];
  if (!flag) return {};
  const writer::HParam value =
      flag.IsScalar() ? ValueOf(flag) : writer::HParam(std::string("no scalar"));
  if (const bool* on = std::get_if<bool>(&value)) {
    tensorboard = *on;
    return {};
  }
  return Fail(ErrorCode::kInvalidArgument,
              PlaceOf(flag.Mark()) + ": the setting tensorboard is " +
                  Quoted(flag.IsScalar() ? flag.Scalar() : "no scalar") +
                  "; expected true or false");
}

Result<TuningConfig> ConfigOf(const YAML::Node& root) {
  TuningConfig config;
  if (root.IsNull()) return config;
  if (!root.IsMap()) {
    return Fail(
        ErrorCode::kInvalidArgument,
        PlaceOf(root.Mark()) + ": the configuration must be a mapping with keys such as 'tuning:'");
  }
  CBOARD_RETURN_IF_ERROR(ReadTensorboard(root, config.tensorboard));
  Flattener flattener(config.settings);
  for (const char* section : {"quantization", "tuning"}) {
    const YAML::Node node = root[section];
    if (!node || !node.IsMap()) continue;
    CBOARD_RETURN_IF_ERROR(ReadTensorboard(node, config.tensorboard));
    for (const auto& entry : node) {
      if (!entry.first.IsScalar() || entry.first.Scalar() == "tensorboard") continue;
      CBOARD_RETURN_IF_ERROR(
          flattener.Add(std::string(section) + "." + entry.first.Scalar(), entry.second));
    }
  }
  return config;
}

// If a key appears twice, keeps only its last value: TensorBoard shows a name once.
void KeepLastOfEach(TrialSettings& settings) {
  std::map<std::string_view, std::size_t> last;
  for (std::size_t i = 0; i < settings.size(); ++i) last[settings[i].first] = i;
  TrialSettings kept;
  kept.reserve(last.size());
  for (std::size_t i = 0; i < settings.size(); ++i) {
    if (last.at(settings[i].first) == i) kept.push_back(settings[i]);
  }
  settings = std::move(kept);
}

}  // namespace

Result<TuningConfig> ParseTuningConfig(std::string_view yaml) {
  if (yaml.size() > kMaxBytes)
    return Fail(Exhausted("the configuration has more than 1 MiB of text; shorten it"));
  // Catches all exceptions of yaml-cpp.
  try {
    Result<TuningConfig> config = ConfigOf(YAML::Load(std::string(yaml)));
    if (config) KeepLastOfEach(config->settings);
    return config;
  } catch (const YAML::Exception& exception) {
    const std::string place =
        exception.mark.is_null() ? std::string("YAML") : PlaceOf(exception.mark);
    return Fail(ErrorCode::kInvalidArgument, place + ": " + exception.msg);
  }
}

Result<TuningConfig> ReadTuningConfig(const std::filesystem::path& path) {
  CBOARD_ASSIGN_OR_RETURN(const std::string yaml, ReadFile(path, kMaxBytes));
  Result<TuningConfig> config = ParseTuningConfig(yaml);
  if (!config) return Fail(Annotate(std::move(config).error(), Quoted(path.string())));
  return config;
}

}  // namespace cboard::compression
