#include "analysis/layers/stored_json.h"

#include "analysis/layers/model_filter.h"
#include "cboard/compression/tags.h"
#include "cboard/reader/media_query.h"

namespace cboard::analysis {
namespace {

constexpr double kVersion = 1;  // docs/formats/compression-tags.md
// Maximum size of the JSON text: enough for thousands of layers with a sentence each; our writers
// never write more.
constexpr std::size_t kMaxBytes = std::size_t{16} << 20;

}  // namespace

std::string TextIn(const JsonObject& object, std::string_view key) {
  std::string_view value;
  return object[key].get(value) == simdjson::SUCCESS ? std::string(value) : std::string();
}

std::optional<double> NumberIn(const JsonObject& object, std::string_view key) {
  double value = 0;
  return object[key].get(value) == simdjson::SUCCESS ? std::optional(value) : std::nullopt;
}

Result<JsonObject> ParseStored(std::string_view json, std::string_view what,
                               simdjson::dom::parser& parser) {
  const auto refuse = [&](const std::string& why) {
    return Fail(ErrorCode::kDataLoss, std::string(what) + ": " + why);
  };
  if (json.size() > kMaxBytes) return refuse("the logged text has more than 16 MiB");
  JsonObject object;
  if (parser.parse(simdjson::padded_string(json)).get(object) != simdjson::SUCCESS) {
    return refuse("the logged text is not a JSON object");
  }
  if (NumberIn(object, "v").value_or(0) != kVersion) {
    return refuse("the logged text has an unknown version; read it with a newer compression-board");
  }
  return object;
}

const reader::Tag* FindStored(const reader::Run& run, std::string_view middle,
                              const LayerFilter& filter) {
  const std::string ending = std::string(middle) + filter.variant;
  ModelFilter models(filter);
  for (const reader::Tag& tag : run.tags) {
    if (tag.kind() != reader::TagKind::kTensor ||
        tag.info->plugin_name != compression::kCompressionPluginName)
      continue;
    std::string name(tag.name());
    if (!name.ends_with(ending) || tag.size() == 0) continue;
    name.resize(name.size() - ending.size());
    if (models.Contain(name)) return &tag;
  }
  return nullptr;
}

Result<std::string> ReadStored(const reader::Run& run, const reader::Tag& tag) {
  CBOARD_ASSIGN_OR_RETURN(const auto tensor, reader::ReadTensor(run, tag, tag.size() - 1, 1));
  if (tensor.value.strings.size() != 1) {
    return Fail(ErrorCode::kDataLoss, "the logged tensor must contain exactly one text");
  }
  return std::string(tensor.value.strings.front());
}

}  // namespace cboard::analysis
