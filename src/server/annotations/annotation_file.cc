#include "server/annotations/annotation_file.h"

#include <simdjson.h>

#include <tuple>

#include "cboard/base/json_writer.h"
#include "cboard/base/strings.h"

namespace cboard::server {
namespace {

constexpr std::string_view kAnnotationFormat = "compression-board annotations";
constexpr std::int64_t kAnnotationVersion = 1;
constexpr std::size_t kMaxAnnotationNames = 200'000;  // Maximum number of runs, and of views.
constexpr std::size_t kMaxFields = 64;                // Maximum per run or view.
constexpr std::size_t kMaxValueBytes = std::size_t{256} << 10;  // As JSON.
constexpr std::int64_t kMaxTimeMs =
    (std::int64_t{1} << 53) - 1;  // JSON readers represent larger integers inexactly.

[[nodiscard]] auto InvalidFile(std::string_view what) {
  return Fail(ErrorCode::kInvalidArgument, std::string(what));
}

void MergeValue(AnnotationFields& fields, std::string_view name, StampedValue value) {
  const auto found = fields.find(name);
  if (found == fields.end()) {
    fields.emplace(name, std::move(value));
  } else if (std::tie(found->second.time_ms, found->second.json) <
             std::tie(value.time_ms, value.json)) {
    found->second = std::move(value);
  }
}

void MergeNames(AnnotationsByName& into, const AnnotationsByName& changes) {
  for (const auto& [name, fields] : changes) {
    for (const auto& [field, value] : fields) MergeValue(into[name], field, value);
  }
}

Result<StampedValue> ParseStampedValue(simdjson::dom::element element) {
  simdjson::dom::array pair;
  StampedValue value;
  if (element.get(pair) != simdjson::SUCCESS || pair.size() != 2 ||
      pair.at(1).get(value.time_ms) != simdjson::SUCCESS) {
    return InvalidFile("a field must be a list [value, time in milliseconds since 1970]");
  }
  if (value.time_ms < 0 || value.time_ms > kMaxTimeMs) {
    return InvalidFile("the time of a field must be from 0 to 2^53 milliseconds since 1970");
  }
  value.json = simdjson::minify(pair.at(0).value_unsafe());
  if (value.json.size() > kMaxValueBytes) {
    return InvalidFile("a value is longer than the maximum of " +
                       HumanBytes(double(kMaxValueBytes)));
  }
  return value;
}

Result<AnnotationsByName> ParseNames(simdjson::dom::object root, std::string_view section) {
  AnnotationsByName names;
  simdjson::dom::element element;
  if (root[section].get(element) != simdjson::SUCCESS) return names;
  simdjson::dom::object entries;
  if (element.get(entries) != simdjson::SUCCESS) {
    return InvalidFile("the section " + Quoted(section) + " must be an object");
  }
  for (const auto [name, entry] : entries) {
    simdjson::dom::object fields;
    if (entry.get(fields) != simdjson::SUCCESS) {
      return InvalidFile("the entry " + Quoted(name) + " must be an object");
    }
    AnnotationFields& parsed = names[std::string(name)];
    for (const auto [field, value] : fields) {
      CBOARD_ASSIGN_OR_RETURN(StampedValue stamped, ParseStampedValue(value));
      MergeValue(parsed, field, std::move(stamped));
      if (parsed.size() > kMaxFields) {
        return InvalidFile("entry " + Quoted(name) + " has more than " + HumanCount(kMaxFields) +
                           " fields");
      }
    }
    if (names.size() > kMaxAnnotationNames) {
      return InvalidFile("the section " + Quoted(section) + " has more than " +
                         HumanCount(kMaxAnnotationNames) + " entries");
    }
  }
  return names;
}

void FormatNames(std::string& text, std::string_view section, const AnnotationsByName& names) {
  text += "\"" + std::string(section) + "\":{";
  std::string_view separator = "\n";
  for (const auto& [name, fields] : names) {
    if (fields.empty()) continue;
    JsonWriter json;
    json.BeginObject().Key(name).BeginObject();
    for (const auto& [field, value] : fields) {
      json.Key(field).BeginArray().Raw(value.json).Value(value.time_ms).EndArray();
    }
    json.EndObject().EndObject();
    const std::string_view line = json.text();
    text.append(separator).append(line.substr(1, line.size() - 2));  // Without the outer braces.
    separator = ",\n";
  }
  text += "\n}";
}

}  // namespace

Result<Annotations> ParseAnnotations(std::string_view text) {
  if (text.size() > kMaxAnnotationFileBytes) {
    return InvalidFile("the file is larger than the maximum of " +
                       HumanBytes(double(kMaxAnnotationFileBytes)));
  }
  simdjson::dom::parser parser;
  simdjson::dom::object root;
  if (parser.parse(text.data(), text.size()).get(root) != simdjson::SUCCESS) {
    return InvalidFile("the file is not a JSON object");
  }
  std::string_view format;
  std::int64_t version = 0;
  if (root["format"].get(format) != simdjson::SUCCESS || format != kAnnotationFormat) {
    return InvalidFile("the field \"format\" must be " + Quoted(kAnnotationFormat));
  }
  if (root["version"].get(version) != simdjson::SUCCESS || version != kAnnotationVersion) {
    return InvalidFile(
        "the field \"version\" must be 1; a newer compression-board may have written the file");
  }
  Annotations annotations;
  CBOARD_ASSIGN_OR_RETURN(annotations.runs, ParseNames(root, "runs"));
  CBOARD_ASSIGN_OR_RETURN(annotations.views, ParseNames(root, "views"));
  std::erase_if(annotations.runs, [](const auto& entry) { return entry.second.empty(); });
  std::erase_if(annotations.views, [](const auto& entry) { return entry.second.empty(); });
  return annotations;
}

std::string FormatAnnotations(const Annotations& annotations) {
  std::string text = "{\"format\":\"" + std::string(kAnnotationFormat) + "\",\"version\":1,\n";
  FormatNames(text, "runs", annotations.runs);
  text += ",\n";
  FormatNames(text, "views", annotations.views);
  return text + "}\n";
}

void Merge(Annotations& into, const Annotations& changes) {
  MergeNames(into.runs, changes.runs);
  MergeNames(into.views, changes.views);
}

}  // namespace cboard::server
