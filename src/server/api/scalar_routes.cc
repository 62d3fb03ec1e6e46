// Curves: one or many, as JSON or as binary columns, and groups of runs.
#include <optional>

#include "cboard/base/strings.h"
#include "cboard/reader/scalar_query.h"
#include "server/api/api_route.h"
#include "server/api/json_body.h"
#include "server/api/series_encoder.h"
#include "server/json_columns.h"

namespace cboard::server {
namespace {

constexpr std::string_view kBinary = "application/vnd.compression-board.series";
constexpr std::size_t kUsualPoints = 1000;
constexpr std::size_t kMostPoints = 10'000'000;

Result<ScalarAxis> ParseAxis(std::string_view text) {
  if (text.empty() || text == "step") return ScalarAxis::kStep;
  if (text == "relative") return ScalarAxis::kRelative;
  if (text == "wall") return ScalarAxis::kWall;
  return Fail(ErrorCode::kInvalidArgument,
              "axis is " + Quoted(text) + "; it must be step, relative or wall");
}

struct Question {
  std::vector<SeriesName> series;
  ScalarQuery query;
};

Result<Question> ParseGet(const ApiCall& call) {
  Question question;
  SeriesName name;
  CBOARD_ASSIGN_OR_RETURN(name.run, call.target.Query("run"));
  CBOARD_ASSIGN_OR_RETURN(name.tag, call.target.Query("tag"));
  question.series.push_back(std::move(name));
  ScalarQuery& query = question.query;
  CBOARD_ASSIGN_OR_RETURN(query.axis, ParseAxis(TextQuery(call.target, "axis")));
  CBOARD_ASSIGN_OR_RETURN(query.max_points,
                          call.target.NumberQuery("points", 4, kMostPoints, kUsualPoints));
  CBOARD_ASSIGN_OR_RETURN(query.range.min, NumberQuery(call.target, "from", query.range.min));
  CBOARD_ASSIGN_OR_RETURN(query.range.max, NumberQuery(call.target, "to", query.range.max));
  CBOARD_ASSIGN_OR_RETURN(query.smoothing, NumberQuery(call.target, "smooth", 0));
  return question;
}

Result<Question> ParsePost(const ApiCall& call) {
  CBOARD_ASSIGN_OR_RETURN(const JsonBody body, JsonBody::Parse(call.body));
  Question question;
  CBOARD_ASSIGN_OR_RETURN(question.series, ParseSeriesNames(body, 2));
  ScalarQuery& query = question.query;
  CBOARD_ASSIGN_OR_RETURN(const std::string axis, body.Text("axis", "step"));
  CBOARD_ASSIGN_OR_RETURN(query.axis, ParseAxis(axis));
  CBOARD_ASSIGN_OR_RETURN(query.max_points, body.Whole("points", 4, kMostPoints, kUsualPoints));
  CBOARD_ASSIGN_OR_RETURN(query.range.min, body.Number("from", query.range.min));
  CBOARD_ASSIGN_OR_RETURN(query.range.max, body.Number("to", query.range.max));
  CBOARD_ASSIGN_OR_RETURN(query.smoothing, body.Number("smooth", 0));
  return question;
}

Result<const Tag*> FindScalars(const ApiCall& call, const SeriesName& name) {
  CBOARD_ASSIGN_OR_RETURN(const Run* const run, FindRun(call, name.run));
  return FindTag(*run, name.tag, TagKind::kScalar);
}

void WriteName(JsonWriter& json, const SeriesName& name) {
  json.Key("run").Value(name.run).Key("tag").Value(name.tag);
}

void WriteError(JsonWriter& json, const Error& error) {
  json.Key("error").BeginObject();
  json.Key("code").Value(NameOf(error.code)).Key("message").Value(error.message).EndObject();
}

bool WantsEveryPoint(const ScalarQuery& query, const ScalarSeries& series) {
  return query.max_points >= series.size() && query.smoothing == 0 &&
         query.range.min == XRange().min && query.range.max == XRange().max;
}

HttpResponse AnswerJson(const ApiCall& call, const Question& question) {
  JsonWriter json;
  json.BeginObject().Key("snapshot").Value(call.snapshot->version);
  json.Key("series").BeginArray();
  for (const SeriesName& name : question.series) {
    json.BeginObject();
    WriteName(json, name);
    const Result<const Tag*> tag = FindScalars(call, name);
    const Result<SampledSeries> sampled =
        tag ? SampleSeries((*tag)->scalars, (*tag)->steps_ascend, question.query)
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

Result<SeriesEncoder> Encode(const Tag& tag, const ScalarQuery& query) {
  if (WantsEveryPoint(query, tag.scalars)) {
    SeriesEncoder encoder(tag.scalars.size());
    tag.scalars.ForEachBlock([&](const ScalarBlock& block) { encoder.Append(block); });
    return encoder;
  }
  CBOARD_ASSIGN_OR_RETURN(const SampledSeries sampled,
                          SampleSeries(tag.scalars, tag.steps_ascend, query));
  SeriesEncoder encoder(sampled.steps.size());
  const bool smooth = !sampled.smoothed.empty();
  encoder.Append(
      {sampled.steps, sampled.wall_times_seconds, smooth ? sampled.smoothed : sampled.values});
  return encoder;
}

HttpResponse AnswerBinary(const ApiCall& call, const Question& question) {
  std::vector<SeriesEncoder> encoders;
  JsonWriter json;
  json.BeginObject().Key("snapshot").Value(call.snapshot->version);
  json.Key("series").BeginArray();
  for (const SeriesName& name : question.series) {
    json.BeginObject();
    WriteName(json, name);
    const Result<const Tag*> tag = FindScalars(call, name);
    Result<SeriesEncoder> encoder = tag ? Encode(**tag, question.query) : Fail(tag.error());
    if (encoder) {
      json.Key("total").Value((*tag)->scalars.size());
      encoder->Describe(json);
      encoders.push_back(*std::move(encoder));
    } else {
      WriteError(json, encoder.error());
    }
    json.EndObject();
  }
  json.EndArray().EndObject();

  std::string header = json.Take();
  header.append((8 - (12 + header.size()) % 8) % 8, ' ');
  const std::uint32_t numbers[] = {1, static_cast<std::uint32_t>(header.size())};
  HttpResponse response{.content_type = std::string(kBinary)};
  response.body = "CBSR";
  response.body.append(reinterpret_cast<const char*>(numbers), sizeof(numbers));
  response.body += header;
  for (const SeriesEncoder& encoder : encoders) encoder.AppendColumns(response.body);
  return response;
}

Result<HttpResponse> Answer(const ApiCall& call, const Result<Question>& question) {
  if (!question) return Fail(question.error());
  const double smoothing = question->query.smoothing;
  if (!(smoothing >= 0 && smoothing < 1)) {
    return Fail(ErrorCode::kInvalidArgument, "smooth must be at least 0 and below 1");
  }
  const bool binary = call.accept.find(kBinary) != std::string_view::npos;
  return binary ? AnswerBinary(call, *question) : AnswerJson(call, *question);
}

// One series that is not there is an error of the whole request; of many, each has its own.
Result<HttpResponse> GetScalars(const ApiCall& call) {
  const Result<Question> question = ParseGet(call);
  if (question) CBOARD_RETURN_IF_ERROR(FindScalars(call, question->series.front()));
  return Answer(call, question);
}
Result<HttpResponse> PostScalars(const ApiCall& call) { return Answer(call, ParsePost(call)); }

void WriteGroup(JsonWriter& json, const GroupCurve& group) {
  WriteNumbers(json, "x", group.xs);
  WriteNumbers(json, "mean", group.mean);
  WriteNumbers(json, "deviation", group.standard_deviation);
  WriteNumbers(json, "min", group.min);
  WriteNumbers(json, "max", group.max);
  WriteValues(json, "counts", group.members);
}

Result<GroupCurve> GroupOf(const ApiCall& call, simdjson::dom::element runs, const std::string& tag,
                           ScalarAxis axis, std::size_t points) {
  simdjson::dom::array names;
  if (runs.get(names) != simdjson::SUCCESS) {
    return Fail(ErrorCode::kInvalidArgument, "each group must be a list of runs");
  }
  std::vector<Curve> curves;
  for (const simdjson::dom::element name : names) {
    std::string_view run;
    if (name.get(run) != simdjson::SUCCESS) {
      return Fail(ErrorCode::kInvalidArgument, "runs of a group must be strings");
    }
    CBOARD_ASSIGN_OR_RETURN(const Tag* const found, FindScalars(call, {std::string(run), tag}));
    CBOARD_ASSIGN_OR_RETURN(Curve curve, ReadCurve(found->scalars, axis));
    curves.push_back(std::move(curve));
  }
  return GroupCurves(curves, points);
}

Result<HttpResponse> PostGroups(const ApiCall& call) {
  CBOARD_ASSIGN_OR_RETURN(const JsonBody body, JsonBody::Parse(call.body));
  CBOARD_ASSIGN_OR_RETURN(const std::string tag, body.Text("tag", ""));
  CBOARD_ASSIGN_OR_RETURN(const simdjson::dom::object groups, body.Object("groups"));
  CBOARD_ASSIGN_OR_RETURN(const std::string axis_name, body.Text("axis", "step"));
  CBOARD_ASSIGN_OR_RETURN(const ScalarAxis axis, ParseAxis(axis_name));
  CBOARD_ASSIGN_OR_RETURN(const std::size_t points,
                          body.Whole("points", 4, kMostPoints, kUsualPoints));
  JsonWriter json;
  json.BeginObject().Key("snapshot").Value(call.snapshot->version).Key("tag").Value(tag);
  json.Key("groups").BeginArray();
  for (const auto [name, runs] : groups) {
    json.BeginObject().Key("name").Value(name);
    const Result<GroupCurve> group = GroupOf(call, runs, tag, axis, points);
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
       .body_example = R"({"series":[["train","loss"]],"points":1000,"axis":"step"})",
       .handler = PostScalars},
      {.method = "POST",
       .path = "/scalars/groups",
       .summary = "Mean and spread over groups of runs.",
       .body_example = R"({"tag":"loss","groups":{"seeds":["run-1","run-2"]},"points":500})",
       .handler = PostGroups},
  };
}

}  // namespace cboard::server
