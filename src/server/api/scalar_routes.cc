// Routes for scalar curves: one or many, as JSON or as binary columns, and groups of runs.
#include <algorithm>
#include <cstring>
#include <optional>

#include "cboard/base/strings.h"
#include "cboard/reader/scalar_query.h"
#include "server/api/api_route.h"
#include "server/api/json_body.h"
#include "server/api/series_encoder.h"
#include "server/content/json_columns.h"

namespace cboard::server {
namespace {

constexpr std::string_view kBinary = "application/vnd.compression-board.series";
constexpr std::size_t kDefaultPoints = 1000;
constexpr std::size_t kMaxPoints = 10'000'000;

Result<reader::ScalarAxis> ParseAxis(std::string_view text) {
  if (text.empty() || text == "step") return reader::ScalarAxis::kStep;
  if (text == "relative") return reader::ScalarAxis::kRelative;
  if (text == "wall") return reader::ScalarAxis::kWall;
  return Fail(ErrorCode::kInvalidArgument,
              "the parameter axis is " + Quoted(text) + "; it must be step, relative or wall");
}

struct CurvesRequest {
  std::vector<SeriesName> series;
  reader::ScalarQuery query;
  bool wall_times = true;  // Include wall times in binary responses.
};

Result<CurvesRequest> ParseGet(const ApiCall& call) {
  CurvesRequest wanted;
  SeriesName name;
  CBOARD_ASSIGN_OR_RETURN(name.run, call.target.Query("run"));
  CBOARD_ASSIGN_OR_RETURN(name.tag, call.target.Query("tag"));
  wanted.series.push_back(std::move(name));
  reader::ScalarQuery& query = wanted.query;
  CBOARD_ASSIGN_OR_RETURN(query.axis, ParseAxis(TextQuery(call.target, "axis")));
  CBOARD_ASSIGN_OR_RETURN(query.max_points,
                          call.target.NumberQuery("points", 4, kMaxPoints, kDefaultPoints));
  CBOARD_ASSIGN_OR_RETURN(query.range.min, NumberQuery(call.target, "from", query.range.min));
  CBOARD_ASSIGN_OR_RETURN(query.range.max, NumberQuery(call.target, "to", query.range.max));
  CBOARD_ASSIGN_OR_RETURN(query.smoothing, NumberQuery(call.target, "smooth", 0));
  return wanted;
}

Result<CurvesRequest> ParsePost(const ApiCall& call) {
  CBOARD_ASSIGN_OR_RETURN(const JsonBody body, JsonBody::Parse(call.body));
  CurvesRequest wanted;
  CBOARD_ASSIGN_OR_RETURN(wanted.series, ParseSeriesNames(body, 2));
  reader::ScalarQuery& query = wanted.query;
  CBOARD_ASSIGN_OR_RETURN(const std::string axis, body.Text("axis", "step"));
  CBOARD_ASSIGN_OR_RETURN(query.axis, ParseAxis(axis));
  CBOARD_ASSIGN_OR_RETURN(query.max_points, body.Whole("points", 4, kMaxPoints, kDefaultPoints));
  CBOARD_ASSIGN_OR_RETURN(query.range.min, body.Number("from", query.range.min));
  CBOARD_ASSIGN_OR_RETURN(query.range.max, body.Number("to", query.range.max));
  CBOARD_ASSIGN_OR_RETURN(query.smoothing, body.Number("smooth", 0));
  CBOARD_ASSIGN_OR_RETURN(const std::size_t wall_times, body.Whole("wall_times", 0, 1, 1));
  wanted.wall_times = wall_times == 1;
  return wanted;
}

Result<const reader::Tag*> FindScalars(const ApiCall& call, const SeriesName& name) {
  CBOARD_ASSIGN_OR_RETURN(const reader::Run* const run, FindRun(call, name.run));
  return FindTag(*run, name.tag, reader::TagKind::kScalar);
}

void WriteName(JsonWriter& json, const SeriesName& name) {
  json.Key("run").Value(name.run).Key("tag").Value(name.tag);
}

void WriteError(JsonWriter& json, const Error& error) {
  json.Key("error").BeginObject();
  json.Key("code").Value(NameOf(error.code)).Key("message").Value(error.message).EndObject();
}

bool WantsEveryPoint(const reader::ScalarQuery& query, const reader::ScalarSeries& series) {
  return query.max_points >= series.size() && query.smoothing == 0 &&
         query.range.min == reader::XRange().min && query.range.max == reader::XRange().max;
}

HttpResponse JsonSeriesResponse(const ApiCall& call, const CurvesRequest& wanted) {
  JsonWriter json;
  json.BeginObject().Key("snapshot").Value(call.snapshot->version);
  json.Key("series").BeginArray();
  for (const SeriesName& name : wanted.series) {
    json.BeginObject();
    WriteName(json, name);
    const Result<const reader::Tag*> tag = FindScalars(call, name);
    const Result<reader::SampledSeries> sampled =
        tag ? reader::SampleSeries((*tag)->scalars, (*tag)->steps_ascend, wanted.query)
            : Fail(tag.error());
    if (sampled) {
      json.Key("total").Value((*tag)->scalars.size());
      WriteValues(json, "steps", sampled->steps);
      json.Key("wall_times").BeginArray();
      for (const double time : sampled->wall_times_seconds) json.Value(time);
      json.EndArray();
      WriteNumbers(json, "values", sampled->values);
      if (!sampled->smoothed.empty()) WriteNumbers(json, "smoothed", sampled->smoothed);
    } else {
      WriteError(json, sampled.error());
    }
    json.EndObject();
  }
  json.EndArray().EndObject();
  return JsonResponse(json.Take());
}

Result<EncodedSeries> Encode(const reader::Tag& tag, const CurvesRequest& wanted, BodyBuffer& out) {
  const reader::ScalarQuery& query = wanted.query;
  if (WantsEveryPoint(query, tag.scalars)) {
    return EncodedSeries::Append(PointsOf(tag.scalars), out, wanted.wall_times);
  }
  CBOARD_ASSIGN_OR_RETURN(const reader::SampledSeries sampled,
                          reader::SampleSeries(tag.scalars, tag.steps_ascend, query));
  const bool smooth = !sampled.smoothed.empty();
  const reader::ScalarBlock points = {sampled.steps, sampled.wall_times_seconds,
                                      smooth ? sampled.smoothed : sampled.values};
  return EncodedSeries::Append(PointsOf(points), out, wanted.wall_times);
}

// The header entry of one series in a binary response.
struct SeriesEntry {
  Result<const reader::Tag*> tag;
  std::optional<Result<EncodedSeries>> encoded = {};  // Empty until encoding was tried.
};

std::string BinaryHeader(const ApiCall& call, const CurvesRequest& wanted,
                         const std::vector<SeriesEntry>& entries) {
  JsonWriter json;
  json.BeginObject().Key("snapshot").Value(call.snapshot->version);
  json.Key("series").BeginArray();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto& [tag, encoded] = entries[i];
    json.BeginObject();
    WriteName(json, wanted.series[i]);
    if (!tag || (encoded && !*encoded)) {
      WriteError(json, tag ? encoded->error() : tag.error());
    } else {
      json.Key("total").Value((*tag)->scalars.size());
      if (encoded) (*encoded)->Describe(json);
    }
    json.EndObject();
  }
  json.EndArray().EndObject();
  return json.Take();
}

// Reserves space for the header before the columns are written: the header is in front of the
// columns, but its content depends on them.
HttpResponse BinaryResponse(const ApiCall& call, const CurvesRequest& wanted) {
  std::vector<SeriesEntry> entries;
  for (const SeriesName& name : wanted.series) entries.push_back({FindScalars(call, name)});
  constexpr std::size_t kMagicBytes = 12;
  const std::size_t room = (kMagicBytes + BinaryHeader(call, wanted, entries).size() +
                            entries.size() * EncodedSeries::kMaxDescriptionBytes + 7) /
                           8 * 8;
  BodyBuffer columns(call.bodies.Take());
  columns.Extend(room);
  for (SeriesEntry& entry : entries) {
    if (entry.tag) entry.encoded = Encode(**entry.tag, wanted, columns);
  }

  std::string header = BinaryHeader(call, wanted, entries);
  std::string body = std::move(columns).Finish();
  if (kMagicBytes + header.size() > room) {  // The header grows if encoding failed.
    body.insert(room, (kMagicBytes + header.size() - room + 7) / 8 * 8, ' ');
  }
  header.resize(std::max(room, (kMagicBytes + header.size() + 7) / 8 * 8) - kMagicBytes, ' ');
  const std::uint32_t numbers[] = {1, static_cast<std::uint32_t>(header.size())};
  std::memcpy(body.data(), "CBSR", 4);
  std::memcpy(body.data() + 4, numbers, sizeof(numbers));
  std::memcpy(body.data() + kMagicBytes, header.data(), header.size());
  HttpResponse response{.content_type = std::string(kBinary)};
  response.shared_body = call.bodies.Share(std::move(body));
  return response;
}

Result<HttpResponse> Respond(const ApiCall& call, const Result<CurvesRequest>& wanted) {
  if (!wanted) return Fail(wanted.error());
  const double smoothing = wanted->query.smoothing;
  if (!(smoothing >= 0 && smoothing < 1)) {
    return Fail(ErrorCode::kInvalidArgument, "the parameter smooth must be at least 0 and below 1");
  }
  const bool binary = call.accept.find(kBinary) != std::string_view::npos;
  HttpResponse response =
      binary ? BinaryResponse(call, *wanted) : JsonSeriesResponse(call, *wanted);
  response.headers.emplace_back("Vary", "Accept");
  return response;
}

// If only one series was requested and it is missing, the request fails. If several were requested,
// each missing series has its own error.
Result<HttpResponse> GetScalars(const ApiCall& call) {
  const Result<CurvesRequest> wanted = ParseGet(call);
  if (wanted) CBOARD_RETURN_IF_ERROR(FindScalars(call, wanted->series.front()));
  return Respond(call, wanted);
}
Result<HttpResponse> PostScalars(const ApiCall& call) { return Respond(call, ParsePost(call)); }

void WriteGroup(JsonWriter& json, const reader::GroupCurve& group) {
  WriteNumbers(json, "x", group.xs);
  WriteNumbers(json, "mean", group.mean);
  WriteNumbers(json, "deviation", group.standard_deviation);
  WriteNumbers(json, "min", group.min);
  WriteNumbers(json, "max", group.max);
  WriteValues(json, "counts", group.members);
}

Result<reader::GroupCurve> GroupOf(const ApiCall& call, simdjson::dom::element runs,
                                   const std::string& tag, reader::ScalarAxis axis,
                                   std::size_t points) {
  simdjson::dom::array names;
  if (runs.get(names) != simdjson::SUCCESS) {
    return Fail(ErrorCode::kInvalidArgument, "each of the groups must be a list of runs");
  }
  std::vector<reader::Curve> curves;
  for (const simdjson::dom::element name : names) {
    std::string_view run;
    if (name.get(run) != simdjson::SUCCESS) {
      return Fail(ErrorCode::kInvalidArgument, "the runs of each group must be strings");
    }
    CBOARD_ASSIGN_OR_RETURN(const reader::Tag* const found,
                            FindScalars(call, {std::string(run), tag}));
    CBOARD_ASSIGN_OR_RETURN(reader::Curve curve, reader::ReadCurve(found->scalars, axis));
    curves.push_back(std::move(curve));
  }
  return reader::GroupCurves(curves, points);
}

Result<HttpResponse> PostGroups(const ApiCall& call) {
  CBOARD_ASSIGN_OR_RETURN(const JsonBody body, JsonBody::Parse(call.body));
  CBOARD_ASSIGN_OR_RETURN(const std::string tag, body.Text("tag", ""));
  CBOARD_ASSIGN_OR_RETURN(const simdjson::dom::object groups, body.Object("groups"));
  CBOARD_ASSIGN_OR_RETURN(const std::string axis_name, body.Text("axis", "step"));
  CBOARD_ASSIGN_OR_RETURN(const reader::ScalarAxis axis, ParseAxis(axis_name));
  CBOARD_ASSIGN_OR_RETURN(const std::size_t points,
                          body.Whole("points", 4, kMaxPoints, kDefaultPoints));
  JsonWriter json;
  json.BeginObject().Key("snapshot").Value(call.snapshot->version).Key("tag").Value(tag);
  json.Key("groups").BeginArray();
  for (const auto [name, runs] : groups) {
    json.BeginObject().Key("name").Value(name);
    const Result<reader::GroupCurve> group = GroupOf(call, runs, tag, axis, points);
    if (group) {
      WriteGroup(json, *group);
    } else {
      WriteError(json, group.error());
    }
    json.EndObject();
  }
  json.EndArray().EndObject();
  return JsonResponse(json.Take());
}

bool ContainsIgnoringCase(std::string_view text, std::string_view wanted) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return !std::ranges::search(text, wanted, {}, lower, lower).empty() || wanted.empty();
}

// For each run, returns the first tag (by name) that contains the text. If `whole` is set, the tag
// must equal the text.
Result<HttpResponse> GetLastScalars(const ApiCall& call) {
  CBOARD_ASSIGN_OR_RETURN(const std::string wanted, call.target.Query("contains"));
  CBOARD_ASSIGN_OR_RETURN(const std::size_t whole, call.target.NumberQuery("whole", 0, 1, 0));
  struct Entry {
    const reader::Run* run;
    const reader::Tag* tag;
    reader::ScalarPoint point;
  };
  std::vector<Entry> entries;
  for (const std::shared_ptr<const reader::Run>& run : call.snapshot->runs) {
    const auto found = std::ranges::find_if(run->tags, [&](const reader::Tag& tag) {
      return tag.kind() == reader::TagKind::kScalar && tag.size() > 0 &&
             (whole == 1 ? tag.name() == wanted : ContainsIgnoringCase(tag.name(), wanted));
    });
    if (found != run->tags.end()) entries.push_back({run.get(), &*found, found->scalars.back()});
  }
  JsonWriter json;
  json.BeginObject().Key("snapshot").Value(call.snapshot->version);
  WriteValues(json, "runs", entries, [](const Entry& e) { return std::string_view(e.run->name); });
  WriteValues(json, "tags", entries,
              [](const Entry& e) { return std::string_view(e.tag->name()); });
  WriteValues(json, "steps", entries, [](const Entry& e) { return e.point.step; });
  WriteNumbers(json, "values", entries, [](const Entry& e) { return e.point.value; });
  json.EndObject();
  return JsonResponse(json.Take());
}

}  // namespace

std::vector<ApiRoute> ScalarRoutes() {
  constexpr ParameterType kText = ParameterType::kText;
  constexpr ParameterType kNumber = ParameterType::kNumber;
  return {
      {.method = "GET",
       .path = "/scalars",
       .summary = "The points of one series, as many as there is room for.",
       .parameters =
           {{"run", kText, true, false, "The run."},
            {"tag", kText, true, false, "The tag."},
            {"points", ParameterType::kWhole, false, false, "At most so many, usually 1000."},
            {"axis", kText, false, false, "step, relative or wall: what from and to mean."},
            {"from", kNumber, false, false, "Only points from here on."},
            {"to", kNumber, false, false, "Only points up to here."},
            {"smooth", kNumber, false, false, "Weight of TensorBoard's smoothing, 0 to 1."}},
       .handler = GetScalars},
      {.method = "POST",
       .path = "/scalars",
       .summary = "The points of many series at once.",
       .body_example =
           R"({"series":[["train","loss"]],"points":1000,"axis":"step","wall_times":1})",
       .handler = PostScalars},
      {.method = "GET",
       .path = "/scalars/last",
       .summary = "The last value of a metric in every run that has it.",
       .parameters = {{"contains", kText, true, false,
                       "Part of the tag; of several the first, letter case aside."},
                      {"whole", ParameterType::kWhole, false, false,
                       "1: the whole tag, letter by letter."}},
       .handler = GetLastScalars},
      {.method = "POST",
       .path = "/scalars/groups",
       .summary = "Mean and spread over groups of runs.",
       .body_example = R"({"tag":"loss","groups":{"seeds":["run-1","run-2"]},"points":500})",
       .handler = PostGroups},
  };
}

}  // namespace cboard::server
