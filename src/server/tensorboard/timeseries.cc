// Routes for the Time Series page, which requests scalars, histograms and images in one list.
#include <simdjson.h>

#include <map>
#include <set>

#include "server/content/markdown.h"
#include "server/tensorboard/form_body.h"
#include "server/tensorboard/histograms.h"
#include "server/tensorboard/media.h"
#include "server/tensorboard/scalars.h"

namespace cboard::server::tensorboard {
namespace {

constexpr std::size_t kMaxRequests = 10'000;

// Joins the descriptions of a tag in several runs; if they differ, each is below a heading with its
// runs.
void WriteDescriptions(JsonWriter& json, const reader::Snapshot& snapshot, reader::TagKind kind) {
  std::map<std::string_view, std::set<std::string_view>> of_tag;
  std::map<std::string_view, std::set<std::string_view>> runs_with;
  for (const reader::RunPointer& run : snapshot.runs) {
    for (const reader::Tag* const tag : TagsWithValues(*run, kind)) {
      const std::string& description = tag->info->description;
      if (description.empty()) continue;
      of_tag[tag->name()].insert(description);
      runs_with[description].insert(run->name);
    }
  }
  json.Key("tagDescriptions").BeginObject();
  for (const auto& [tag, descriptions] : of_tag) {
    std::string text;
    for (const std::string_view description : descriptions) {
      if (descriptions.size() > 1) {
        const auto& runs = runs_with[description];
        text += text.empty() ? "# Multiple descriptions\n" : "\n";
        text += runs.size() > 1 ? "## For runs: " : "## For run: ";
        for (const std::string_view run : runs) {
          text.append(run == *runs.begin() ? "" : ", ").append(run);
        }
        text += "\n";
      }
      text += description;
    }
    json.Key(tag).Value(MarkdownToSafeHtml(text));
  }
  json.EndObject();
}

void WriteRunTags(JsonWriter& json, const reader::Snapshot& snapshot, reader::TagKind kind) {
  json.BeginObject().Key("runTagInfo").BeginObject();
  for (const reader::RunPointer& run : snapshot.runs) {
    const std::vector<const reader::Tag*> tags = TagsWithValues(*run, kind);
    if (tags.empty()) continue;
    json.Key(run->name).BeginArray();
    for (const reader::Tag* const tag : tags) json.Value(tag->name());
    json.EndArray();
  }
  json.EndObject();
  WriteDescriptions(json, snapshot, kind);
  json.EndObject();
}

void WriteImageTags(JsonWriter& json, const DataCall& call) {
  std::map<std::string_view, std::vector<std::pair<const reader::Run*, const reader::Tag*>>> by_tag;
  for (const reader::RunPointer& run : call.snapshot->runs) {
    for (const reader::Tag* const tag : TagsWithValues(*run, reader::TagKind::kImage)) {
      by_tag[tag->name()].emplace_back(run.get(), tag);
    }
  }
  json.BeginObject();
  WriteDescriptions(json, *call.snapshot, reader::TagKind::kImage);
  json.Key("tagRunSampledInfo").BeginObject();
  for (const auto& [name, tags] : by_tag) {
    json.Key(name).BeginObject();
    for (const auto& [run, tag] : tags) {
      json.Key(run->name).BeginObject().Key("maxSamplesPerStep");
      json.Value(MaxSamples(*run, *tag, SampleLimit(call, "images", kMediaSteps))).EndObject();
    }
    json.EndObject();
  }
  json.EndObject().EndObject();
}

Result<HttpResponse> GetTimeSeriesTags(const DataCall& call) {
  JsonWriter json;
  json.BeginObject().Key("scalars");
  WriteRunTags(json, *call.snapshot, reader::TagKind::kScalar);
  json.Key("histograms");
  WriteRunTags(json, *call.snapshot, reader::TagKind::kHistogram);
  json.Key("images");
  WriteImageTags(json, call);
  json.EndObject();
  return JsonResponse(json.Take());
}

// One request of the list; fields that are missing or have another type are left out.
struct SeriesRequest {
  std::optional<std::string> plugin, tag, run;
  std::optional<std::int64_t> sample;
};

std::optional<std::string> TextOf(const simdjson::dom::object& object, std::string_view key) {
  std::string_view text;
  if (object[key].get(text) != simdjson::SUCCESS) return std::nullopt;
  return std::string(text);
}

SeriesRequest RequestOf(const simdjson::dom::object& object) {
  SeriesRequest request{TextOf(object, "plugin"), TextOf(object, "tag"), TextOf(object, "run"), {}};
  std::int64_t sample = 0;
  if (object["sample"].get(sample) == simdjson::SUCCESS) request.sample = sample;
  return request;
}

std::string_view ProblemWith(const SeriesRequest& request) {
  if (!request.tag) return "Missing tag";
  if (request.plugin == "scalars") return {};
  if (request.plugin != "histograms" && request.plugin != "images") return "Invalid plugin";
  if (!request.run) return "Missing run";
  return request.plugin == "images" && !request.sample ? "Missing sample" : "";
}

void WriteScalars(JsonWriter& json, const DataCall& call, const reader::Tag& tag) {
  json.BeginArray();
  for (const reader::ScalarPoint& point : SampledPoints(call, tag.scalars)) {
    json.BeginObject().Key("wallTime").Value(point.wall_time_seconds);
    json.Key("step").Value(point.step).Key("value").Value(point.value).EndObject();
  }
  json.EndArray();
}

void WriteHistograms(JsonWriter& json, const std::vector<HistogramRow>& histograms) {
  json.BeginArray();
  for (const HistogramRow& histogram : histograms) {
    json.BeginObject().Key("wallTime").Value(histogram.wall_time_seconds);
    json.Key("step").Value(histogram.step).Key("bins").BeginArray();
    for (const reader::HistogramBin& bin : histogram.bins) {
      json.BeginObject().Key("min").Value(bin.left).Key("max").Value(bin.right);
      json.Key("count").Value(bin.count).EndObject();
    }
    json.EndArray().EndObject();
  }
  json.EndArray();
}

void WriteImages(JsonWriter& json, const std::vector<MediaStep>& steps) {
  json.BeginArray();
  for (const MediaStep& step : steps) {
    json.BeginObject().Key("step").Value(step.step);
    json.Key("wallTime").Value(step.wall_time_seconds).Key("imageId").Value(step.key).EndObject();
  }
  json.EndArray();
}

Result<void> WriteSeries(JsonWriter& json, const DataCall& call, const SeriesRequest& request,
                         const reader::Run& run) {
  const reader::TagKind kind = request.plugin == "scalars"      ? reader::TagKind::kScalar
                               : request.plugin == "histograms" ? reader::TagKind::kHistogram
                                                                : reader::TagKind::kImage;
  const reader::Tag* const tag = run.Find(*request.tag);
  if (tag == nullptr || tag->kind() != kind || tag->size() == 0) return {};
  if (kind == reader::TagKind::kScalar) {
    json.Key(run.name);
    WriteScalars(json, call, *tag);
  } else if (kind == reader::TagKind::kHistogram) {
    const std::size_t limit = SampleLimit(call, "histograms", kHistogramSteps);
    CBOARD_ASSIGN_OR_RETURN(const auto histograms, ReadShownHistograms(run, *tag, limit));
    json.Key(run.name);
    WriteHistograms(json, histograms);
  } else if (*request.sample >= 0) {
    const std::size_t limit = SampleLimit(call, "images", kMediaSteps);
    CBOARD_ASSIGN_OR_RETURN(
        const auto steps, MediaSteps(run, *tag, static_cast<std::size_t>(*request.sample), limit));
    if (steps.empty()) return {};
    json.Key(run.name);
    WriteImages(json, steps);
  }
  return {};
}

Result<void> WriteResponse(JsonWriter& json, const DataCall& call, const SeriesRequest& request) {
  const auto write = [&](std::string_view key, const std::optional<std::string>& text) {
    json.Key(key);
    text ? json.Value(*text) : json.Null();
  };
  json.BeginObject();
  write("plugin", request.plugin);
  write("tag", request.tag);
  if (request.run) write("run", request.run);
  if (request.sample) json.Key("sample").Value(*request.sample);
  if (const std::string_view problem = ProblemWith(request); !problem.empty()) {
    json.Key("error").Value(problem).EndObject();
    return {};
  }
  json.Key("runToSeries").BeginObject();
  if (request.run && !request.run->empty()) {
    const reader::Run* const run = call.snapshot->FindRun(*request.run);
    if (run != nullptr) CBOARD_RETURN_IF_ERROR(WriteSeries(json, call, request, *run));
  } else {
    for (const reader::RunPointer& run : call.snapshot->runs) {
      CBOARD_RETURN_IF_ERROR(WriteSeries(json, call, request, *run));
    }
  }
  json.EndObject().EndObject();
  return {};
}

Result<std::string> RequestsOf(const DataCall& call) {
  std::string text;
  if (call.method == "POST") {
    CBOARD_ASSIGN_OR_RETURN(const FormFields form, ParseForm(call.content_type, call.body));
    std::vector<std::string> values = FieldsNamed(form, "requests");
    if (!values.empty()) text = std::move(values.front());
  } else {
    text = call.Find("requests").value_or("");
  }
  if (text.empty()) return Fail(ErrorCode::kInvalidArgument, "Missing 'requests' field");
  return text;
}

Result<HttpResponse> GetTimeSeries(const DataCall& call) {
  CBOARD_ASSIGN_OR_RETURN(const std::string text, RequestsOf(call));
  simdjson::dom::parser parser;
  simdjson::dom::array requests;
  if (parser.parse(text).get(requests) != simdjson::SUCCESS) {
    return Fail(ErrorCode::kInvalidArgument, "Unable to parse 'requests' as JSON");
  }
  if (requests.size() > kMaxRequests) {
    return Fail(ErrorCode::kInvalidArgument,
                "'requests' may contain at most " + std::to_string(kMaxRequests) + " objects");
  }
  JsonWriter json;
  json.BeginArray();
  for (const simdjson::dom::element element : requests) {
    simdjson::dom::object object;
    if (element.get(object) != simdjson::SUCCESS) {
      return Fail(ErrorCode::kInvalidArgument, "'requests' must be a list of objects");
    }
    CBOARD_RETURN_IF_ERROR(WriteResponse(json, call, RequestOf(object)));
  }
  json.EndArray();
  return JsonResponse(json.Take());
}

Result<HttpResponse> GetImageData(const DataCall& call) {
  const std::string key = call.Find("imageId").value_or("");
  if (key.empty()) return Fail(ErrorCode::kInvalidArgument, "Missing 'imageId' field");
  return ImageResponse(call, key);
}

}  // namespace

std::vector<DataRoute> TimeSeriesRoutes() {
  return {{"/plugin/timeseries/tags", GetTimeSeriesTags},
          {"/plugin/timeseries/timeSeries", GetTimeSeries},
          {"/plugin/timeseries/imageData", GetImageData}};
}

}  // namespace cboard::server::tensorboard
