// Routes that write: names, notes, tags and colours of runs, named views, the deletion of runs, and
// the request to stop a tuning.
#include <algorithm>

#include "cboard/base/file.h"
#include "cboard/base/strings.h"
#include "server/annotations/annotation_store.h"
#include "server/api/api_route.h"
#include "server/api/json_body.h"
#include "server/content/json_columns.h"
#include "server/content/markdown.h"

namespace cboard::server {
namespace {

constexpr std::size_t kMaxRunsPerChange = 100'000;
constexpr std::size_t kMaxNameBytes = 500;
constexpr std::size_t kMaxNoteBytes = 64 << 10;
constexpr std::size_t kMaxLabels = 50;
constexpr std::size_t kMaxLabelBytes = 100;
constexpr std::size_t kMaxColour = 8;
constexpr std::size_t kMaxAddressBytes = 8 << 10;

[[nodiscard]] auto InvalidChange(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message));
}

// Decodes stored values. Users may edit the file, so a value of the wrong type counts as missing.
class StoredValues {
 public:
  explicit StoredValues(const AnnotationFields& fields) : fields_(fields) {}

  std::string Text(std::string_view field) {
    std::string_view text;
    return Parse(field).get(text) == simdjson::SUCCESS ? std::string(text) : std::string();
  }
  bool Truth(std::string_view field) {
    bool truth = false;
    return Parse(field).get(truth) == simdjson::SUCCESS && truth;
  }
  std::uint64_t Colour() {
    std::uint64_t colour = 0;
    return Parse("colour").get(colour) == simdjson::SUCCESS && colour <= kMaxColour ? colour : 0;
  }
  std::vector<std::string> Labels() {
    std::vector<std::string> labels;
    simdjson::dom::array array;
    if (Parse("tags").get(array) != simdjson::SUCCESS) return labels;
    for (const simdjson::dom::element element : array) {
      std::string_view label;
      if (element.get(label) == simdjson::SUCCESS) labels.emplace_back(label);
    }
    return labels;
  }

 private:
  simdjson::simdjson_result<simdjson::dom::element> Parse(std::string_view field) {
    const auto found = fields_.find(field);
    return parser_.parse(found == fields_.end() ? std::string("null") : found->second.json);
  }

  const AnnotationFields& fields_;
  simdjson::dom::parser parser_;
};

struct RunAnnotations {
  std::string run, name, note;
  std::vector<std::string> tags;
  std::uint64_t colour = 0;
  bool archived = false;

  bool empty() const {
    return name.empty() && note.empty() && tags.empty() && colour == 0 && !archived;
  }
};

std::vector<RunAnnotations> AnnotatedRuns(const Annotations& annotations) {
  std::vector<RunAnnotations> runs;
  for (const auto& [run, fields] : annotations.runs) {
    StoredValues stored(fields);
    RunAnnotations read{run,
                        stored.Text("name"),
                        stored.Text("note"),
                        stored.Labels(),
                        stored.Colour(),
                        stored.Truth("archived")};
    if (!read.empty()) runs.push_back(std::move(read));
  }
  return runs;
}

Result<HttpResponse> GetAnnotations(const ApiCall& call) {
  const AnnotationStore::Content content = call.look.annotations->Read();
  const std::vector<RunAnnotations> runs = AnnotatedRuns(content.annotations);
  const std::string reason = call.look.annotations->WhyReadOnly();
  std::vector<std::pair<std::string, std::string>> views;
  for (const auto& [name, fields] : content.annotations.views) {
    std::string address = StoredValues(fields).Text("address");
    if (!address.empty()) views.emplace_back(name, std::move(address));
  }
  JsonWriter json;
  json.BeginObject().Key("writable").Value(reason.empty()).Key("read_only_reason").Value(reason);
  json.Key("allow_delete").Value(call.look.allow_delete && reason.empty());
  WriteValues(json, "problems", content.problems);
  json.Key("runs").BeginObject();
  WriteValues(json, "runs", runs, &RunAnnotations::run);
  WriteValues(json, "names", runs, &RunAnnotations::name);
  WriteValues(json, "notes", runs, &RunAnnotations::note);
  WriteValues(json, "notes_html", runs,
              [](const RunAnnotations& run) { return MarkdownToSafeHtml(run.note); });
  json.Key("tags").BeginArray();
  for (const RunAnnotations& run : runs) {
    json.BeginArray();
    for (const std::string& tag : run.tags) json.Value(tag);
    json.EndArray();
  }
  json.EndArray();
  WriteValues(json, "colours", runs, &RunAnnotations::colour);
  WriteValues(json, "archived", runs, &RunAnnotations::archived);
  json.EndObject().Key("views").BeginObject();
  WriteValues(json, "names", views, [](const auto& view) { return std::string_view(view.first); });
  WriteValues(json, "addresses", views,
              [](const auto& view) { return std::string_view(view.second); });
  json.EndObject().EndObject();
  return JsonResponse(json.Take());
}

// Returns the value as JSON. An empty text, an empty list, false and 0 remove the field.
Result<std::string> TextChange(std::string_view field, simdjson::dom::element value,
                               std::size_t max_bytes) {
  std::string_view text;
  if (value.is_null()) return "null";
  if (value.get(text) != simdjson::SUCCESS || text.size() > max_bytes) {
    return InvalidChange("the field " + Quoted(field) + " must be a string of at most " +
                         std::to_string(max_bytes) + " bytes, or null");
  }
  return text.empty() ? "null" : std::string(simdjson::minify(value));
}

Result<std::string> LabelsChange(simdjson::dom::element value) {
  if (value.is_null()) return "null";
  simdjson::dom::array labels;
  const bool is_list = value.get(labels) == simdjson::SUCCESS && labels.size() <= kMaxLabels;
  const bool fits = is_list && std::ranges::all_of(labels, [](simdjson::dom::element label) {
                      std::string_view text;
                      return label.get(text) == simdjson::SUCCESS && !text.empty() &&
                             text.size() <= kMaxLabelBytes;
                    });
  if (!fits) {
    return InvalidChange("'tags' must be a list of at most " + std::to_string(kMaxLabels) +
                         " strings of 1 to " + std::to_string(kMaxLabelBytes) + " bytes, or null");
  }
  return labels.size() == 0 ? "null" : std::string(simdjson::minify(value));
}

Result<std::string> ColourChange(simdjson::dom::element value) {
  if (value.is_null()) return "null";
  std::uint64_t colour = 0;
  if (value.get(colour) != simdjson::SUCCESS || colour > kMaxColour) {
    return InvalidChange("'colour' must be a whole number from 1 to 8, or null");
  }
  return colour == 0 ? "null" : std::to_string(colour);
}

Result<std::string> ArchivedChange(simdjson::dom::element value) {
  if (value.is_null()) return "null";
  bool archived = false;
  if (value.get(archived) != simdjson::SUCCESS) {
    return InvalidChange("'archived' must be true or false");
  }
  return archived ? "true" : "null";
}

Result<FieldChanges> ParseChanges(simdjson::dom::object set) {
  FieldChanges changes;
  for (const auto [field, value] : set) {
    const auto parse = [&, name = field, json = value]() -> Result<std::string> {
      if (name == "name") return TextChange(name, json, kMaxNameBytes);
      if (name == "note") return TextChange(name, json, kMaxNoteBytes);
      if (name == "tags") return LabelsChange(json);
      if (name == "colour") return ColourChange(json);
      if (name == "archived") return ArchivedChange(json);
      return InvalidChange("unknown field " + Quoted(name) +
                           "; use name, note, tags, colour or archived");
    };
    CBOARD_ASSIGN_OR_RETURN(std::string change, parse());
    changes.emplace_back(field, std::move(change));
  }
  return changes;
}

Result<std::vector<std::string>> ParseRuns(const JsonBody& body) {
  CBOARD_ASSIGN_OR_RETURN(std::vector<std::string> runs, body.Texts("runs", kMaxRunsPerChange));
  if (runs.empty()) return InvalidChange("'runs' must name at least one run");
  return runs;
}

Result<HttpResponse> PostAnnotations(const ApiCall& call) {
  CBOARD_ASSIGN_OR_RETURN(const JsonBody body, JsonBody::Parse(call.body));
  CBOARD_ASSIGN_OR_RETURN(const std::vector<std::string> runs, ParseRuns(body));
  for (const std::string& run : runs) CBOARD_RETURN_IF_ERROR(FindRun(call, run));
  CBOARD_ASSIGN_OR_RETURN(const simdjson::dom::object set, body.Object("set"));
  CBOARD_ASSIGN_OR_RETURN(const FieldChanges changes, ParseChanges(set));
  CBOARD_RETURN_IF_ERROR(call.look.annotations->ChangeRuns(runs, changes));
  return GetAnnotations(call);
}

Result<HttpResponse> PostViews(const ApiCall& call) {
  CBOARD_ASSIGN_OR_RETURN(const JsonBody body, JsonBody::Parse(call.body));
  CBOARD_ASSIGN_OR_RETURN(const std::string name, body.Text("name", ""));
  CBOARD_ASSIGN_OR_RETURN(const std::string address, body.Text("address", ""));
  if (name.empty() || name.size() > kMaxNameBytes) {
    return InvalidChange("'name' must be a string of 1 to " + std::to_string(kMaxNameBytes) +
                         " bytes");
  }
  // The page opens this address, so it must stay inside the board, as in "scalars?smooth=0.9".
  const std::string_view page = std::string_view(address).substr(0, address.find('?'));
  const bool is_inside = std::ranges::all_of(page, [](char c) { return c >= 'a' && c <= 'z'; });
  if (!is_inside || address.size() > kMaxAddressBytes || address.find('#') != std::string::npos) {
    return InvalidChange(
        "'address' must be a page and its query, such as scalars?smooth=0.9, of at most " +
        std::to_string(kMaxAddressBytes) + " bytes");
  }
  JsonWriter json;
  if (address.empty()) {
    json.Null();
  } else {
    json.Value(address);
  }
  CBOARD_RETURN_IF_ERROR(call.look.annotations->ChangeView(name, {{"address", json.Take()}}));
  return GetAnnotations(call);
}

Result<HttpResponse> PostDelete(const ApiCall& call) {
  if (!call.look.allow_delete) {
    return Fail(ErrorCode::kPermissionDenied,
                "this server may not delete runs; start it with --allow-delete");
  }
  CBOARD_ASSIGN_OR_RETURN(const JsonBody body, JsonBody::Parse(call.body));
  CBOARD_ASSIGN_OR_RETURN(const std::vector<std::string> names, ParseRuns(body));
  std::vector<const reader::Run*> runs;
  for (const std::string& name : names) {
    CBOARD_ASSIGN_OR_RETURN(const reader::Run* const run, FindRun(call, name));
    runs.push_back(run);
  }
  for (const reader::Run* const run : runs) {
    CBOARD_RETURN_IF_ERROR(call.look.annotations->DeleteRun(*run));
  }
  return GetAnnotations(call);
}

// Creating this file asks a running tuning to stop (docs/formats/tuning-progress.md).
Result<HttpResponse> PostStopTuning(const ApiCall& call) {
  if (!call.look.allow_control) {
    return Fail(ErrorCode::kPermissionDenied,
                "this server may not stop a tuning; start it with --allow-control");
  }
  CBOARD_ASSIGN_OR_RETURN(const JsonBody body, JsonBody::Parse(call.body));
  CBOARD_ASSIGN_OR_RETURN(const std::string name, body.Text("run", ""));
  CBOARD_ASSIGN_OR_RETURN(const reader::Run* const run, FindRun(call, name));
  if (run->Find("tuning/progress") == nullptr &&
      run->Find("tuning/progress/text_summary") == nullptr) {
    return Fail(ErrorCode::kFailedPrecondition,
                "run " + Quoted(name) +
                    " cannot be stopped, because it is not a run of 'compression-board tune'");
  }
  Result<File> file = File::CreateNew(run->directory / "stop");
  if (!file && file.error().code != ErrorCode::kAlreadyExists) return Fail(file.error());
  JsonWriter json;
  json.BeginObject().Key("run").Value(name).Key("requested").Value(true).EndObject();
  return JsonResponse(json.Take());
}

}  // namespace

std::vector<ApiRoute> AnnotationRoutes() {
  return {
      {.method = "GET",
       .path = "/annotations",
       .summary = "Names, notes, tags and colours that people gave to runs, and named views.",
       .in_snapshot = false,
       .handler = GetAnnotations},
      {.method = "POST",
       .path = "/annotations",
       .summary = "Sets fields of runs: name, note, tags, colour, archived. null removes a field.",
       .body_example = R"({"runs":["train"],"set":{"name":"Baseline","tags":["good"]}})",
       .in_snapshot = false,
       .writes = true,
       .handler = PostAnnotations},
      {.method = "POST",
       .path = "/views",
       .summary = "Stores a named view; without an address, removes it.",
       .body_example = R"({"name":"Loss, smoothed","address":"scalars?smooth=0.9"})",
       .in_snapshot = false,
       .writes = true,
       .handler = PostViews},
      {.method = "POST",
       .path = "/runs/delete",
       .summary = "Deletes the event files of runs. Needs --allow-delete.",
       .body_example = R"({"runs":["train"]})",
       .in_snapshot = false,
       .writes = true,
       .handler = PostDelete},
      {.method = "POST",
       .path = "/tuning/stop",
       .summary = "Asks a running tuning to stop. Needs --allow-control.",
       .body_example = R"({"run":"eval/search"})",
       .in_snapshot = false,
       .writes = true,
       .handler = PostStopTuning},
  };
}

}  // namespace cboard::server
