#include "cboard/benchmark/suite.h"

#include <simdjson.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>

#include "cboard/base/file.h"
#include "cboard/base/strings.h"

namespace cboard::benchmark {
namespace {

constexpr std::uint64_t kMaxSuiteBytes = 1 << 20;
constexpr std::size_t kMaxModels = 1000;
constexpr std::size_t kMaxVariantFiles = 64;

constexpr std::array<std::string_view, 14> kKeys = {
    "name",       "variants", "baseline", "data",    "labels", "metric",     "eval",
    "vocabulary", "shape",    "batch",    "threads", "time",   "throughput", "provider"};

// Reads one model of a suite. After the first error, which is stored, later calls do nothing.
class ModelReader {
 public:
  ModelReader(const std::filesystem::path& file, BenchmarkOptions options)
      : file_(file), folder_(file.parent_path()), options_(std::move(options)) {}

  Result<BenchmarkOptions> Read(const YAML::Node& model) {
    if (!model.IsMap()) Refuse(model, "a model is a map with the key 'variants'");
    for (const auto& member : model) {
      if (error_) break;
      ReadMember(TextOf(member.first), member.second);
    }
    if (!error_ && options_.variants.empty()) {
      Refuse(model, "the model has no variants; list its files under 'variants'");
    }
    if (!error_ && !options_.evaluation.labels.empty() && options_.evaluation.metrics.empty()) {
      Refuse(model, "the model has labels and no metric; add metric: top1, for example");
    }
    if (error_) return Fail(*std::move(error_));
    return std::move(options_);
  }

 private:
  void Refuse(const YAML::Node& node, const std::string& what) {
    if (error_) return;
    const YAML::Mark mark = node.Mark();
    error_ = Error{ErrorCode::kInvalidArgument,
                   file_.string() + ":" + std::to_string(std::max(0, mark.line) + 1) + ": " + what};
  }

  std::string TextOf(const YAML::Node& node) {
    if (node.IsScalar()) return node.Scalar();
    Refuse(node, "expected a text");
    return {};
  }

  std::filesystem::path PathOf(const YAML::Node& node) {
    const std::filesystem::path path = TextOf(node);
    return path.is_absolute() ? path : folder_ / path;
  }

  std::int64_t CountOf(const std::string& key, const YAML::Node& node, std::int64_t max) {
    std::int64_t number = 0;
    if (!node.IsScalar() || !YAML::convert<std::int64_t>::decode(node, number) || number < 1 ||
        number > max) {
      Refuse(node, Quoted(key) + " is a number from 1 to " + std::to_string(max));
      return 1;
    }
    return number;
  }

  void ReadMember(const std::string& key, const YAML::Node& value) {
    if (key == "name") {
      options_.model = TextOf(value);
    } else if (key == "variants") {
      ReadVariants(value);
    } else if (key == "baseline") {
      options_.baseline = TextOf(value);
    } else if (key == "data") {
      options_.run.data = PathOf(value);
    } else if (key == "labels") {
      const LabelsArgument labels = ParseLabelsArgument(TextOf(value));
      options_.evaluation.labels = labels.file.is_absolute() ? labels.file : folder_ / labels.file;
      options_.evaluation.labels_array = labels.array;
    } else if (key == "metric") {
      ReadMetrics(value);
    } else if (key == "eval") {
      options_.evaluation.command = TextOf(value);
    } else if (key == "vocabulary") {
      options_.evaluation.vocabulary = PathOf(value);
    } else if (key == "shape") {
      ReadShapes(value);
    } else if (key == "batch") {
      options_.run.batch = CountOf(key, value, 1 << 20);
    } else if (key == "threads") {
      options_.run.threads = static_cast<int>(CountOf(key, value, 1024));
    } else if (key == "time") {
      ReadTime(value);
    } else if (key == "throughput") {
      if (!YAML::convert<bool>::decode(value, options_.measures_throughput)) {
        Refuse(value, "'throughput' is true or false");
      }
    } else if (key == "provider") {
      options_.run.provider = TextOf(value);
    } else {
      std::string known;
      for (const std::string_view name : kKeys) {
        known += (known.empty() ? "" : ", ") + std::string(name);
      }
      Refuse(value, "there is no key " + Quoted(key) + "; there are " + known);
    }
  }

  void ReadTime(const YAML::Node& value) {
    const auto seconds = ParseSeconds(TextOf(value));
    if (!seconds) return Refuse(value, "the time is a number of seconds, or 60s, 2m, 1h");
    options_.max_seconds = *seconds;
  }

  void ReadVariants(const YAML::Node& value) {
    if (value.size() > kMaxVariantFiles) {
      return Refuse(value, "a model has at most " + std::to_string(kMaxVariantFiles) + " variants");
    }
    options_.variants.clear();
    if (value.IsMap()) {
      for (const auto& member : value) {
        options_.variants.push_back({TextOf(member.first), PathOf(member.second)});
      }
    } else if (value.IsSequence()) {
      std::vector<std::filesystem::path> files;
      for (const YAML::Node& file : value) files.push_back(PathOf(file));
      NamedFiles named = NameFiles(files);
      options_.variants = std::move(named.variants);
      if (options_.model.empty()) options_.model = std::move(named.model);
    } else {
      Refuse(value, "variants are a list of files, or a map of names and files");
    }
    if (options_.model.empty() && !options_.variants.empty()) {
      options_.model = options_.variants[0].path.stem().string();
    }
  }

  void ReadMetrics(const YAML::Node& value) {
    options_.evaluation.metrics.clear();
    if (!value.IsSequence()) {
      options_.evaluation.metrics.push_back(TextOf(value));
      return;
    }
    for (const YAML::Node& name : value) options_.evaluation.metrics.push_back(TextOf(name));
  }

  void ReadShapes(const YAML::Node& value) {
    if (!value.IsMap()) return Refuse(value, "shapes are a map: shape: {x: [1, 3, 224, 224]}");
    options_.run.shapes.clear();
    for (const auto& member : value) {
      if (!member.second.IsSequence()) return Refuse(member.second, "a shape is a list of sizes");
      std::vector<std::int64_t> sizes;
      for (const YAML::Node& size : member.second) {
        sizes.push_back(CountOf("shape", size, std::int64_t{1} << 32));
      }
      options_.run.shapes.emplace(TextOf(member.first), std::move(sizes));
    }
  }

  std::filesystem::path file_;
  std::filesystem::path folder_;
  BenchmarkOptions options_;
  std::optional<Error> error_;
};

}  // namespace

std::optional<double> ParseSeconds(std::string_view text) {
  double number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc() || !(number > 0) || !std::isfinite(number)) return std::nullopt;
  const std::string_view unit = text.substr(static_cast<std::size_t>(parsed.ptr - text.data()));
  if (unit.empty() || unit == "s") return number;
  if (unit == "m" || unit == "min") return 60 * number;
  if (unit == "h") return 3600 * number;
  return std::nullopt;
}

Result<std::vector<BenchmarkOptions>> ParseSuite(std::string_view text,
                                                 const std::filesystem::path& file,
                                                 const BenchmarkOptions& defaults) {
  const auto refuse = [&](const std::string& what) {
    return Fail(ErrorCode::kInvalidArgument, file.string() + ": " + what);
  };
  try {
    const YAML::Node root = YAML::Load(std::string(text));
    const YAML::Node models = root.IsMap() ? root["models"] : YAML::Node();
    if (!models || !models.IsSequence() || models.size() == 0) {
      return refuse("expected 'models:' with a list of models");
    }
    if (models.size() > kMaxModels) {
      return refuse("the list has too many models; give at most " + HumanCount(kMaxModels));
    }
    std::vector<BenchmarkOptions> suite;
    std::set<std::string> names;
    for (const YAML::Node& model : models) {
      CBOARD_ASSIGN_OR_RETURN(BenchmarkOptions options, ModelReader(file, defaults).Read(model));
      if (!names.insert(options.model).second) {
        return refuse("two models are called " + Quoted(options.model) +
                      "; give each its own 'name'");
      }
      suite.push_back(std::move(options));
    }
    return suite;
  } catch (const YAML::Exception& error) {
    return refuse("line " + std::to_string(std::max(0, error.mark.line) + 1) + ": " + error.msg);
  }
}

Result<std::vector<BenchmarkOptions>> ReadSuite(const std::filesystem::path& file,
                                                const BenchmarkOptions& defaults) {
  CBOARD_ASSIGN_OR_RETURN(const std::string text, ReadFile(file, kMaxSuiteBytes));
  return ParseSuite(text, file, defaults);
}

Result<std::map<std::string, GivenScores, std::less<>>> ReadScores(
    const std::filesystem::path& file) {
  CBOARD_ASSIGN_OR_RETURN(const std::string text, ReadFile(file, kMaxSuiteBytes));
  simdjson::dom::parser parser;
  simdjson::dom::object variants;
  std::map<std::string, GivenScores, std::less<>> given;
  const auto refuse = [&] {
    return Fail(ErrorCode::kInvalidArgument,
                Quoted(file.string(), 1000) +
                    " must contain scores by variant, such as {\"int8\": {\"accuracy\": 0.91}}");
  };
  if (parser.parse(text).get(variants) != simdjson::SUCCESS) return refuse();
  for (const auto& [variant, value] : variants) {
    simdjson::dom::object members;
    if (value.get(members) != simdjson::SUCCESS) return refuse();
    GivenScores& of_variant = given[std::string(variant)];
    for (const auto& [name, member] : members) {
      double score = 0;
      std::string_view error;
      if (name == "error" && member.get(error) == simdjson::SUCCESS) {
        of_variant.error = error;
      } else if (member.get(score) == simdjson::SUCCESS && std::isfinite(score)) {
        of_variant.scores[std::string(name)] = score;
      } else {
        return refuse();
      }
    }
  }
  return given;
}

}  // namespace cboard::benchmark
