// Routes for histograms: with the bins that were logged, in bars of equal width, and as
// percentiles.
#include <algorithm>
#include <cmath>

#include "cboard/base/strings.h"
#include "cboard/reader/histogram_query.h"
#include "server/api/api_route.h"
#include "server/api/json_body.h"
#include "server/content/json_columns.h"

namespace cboard::server {
namespace {

// Returns the index of the value whose step is nearest to `step`; of two equally near values, the
// one logged later. `tag` must have values.
std::size_t IndexNearStep(const reader::Tag& tag, std::int64_t step) {
  const auto distance = [&](std::size_t i) {
    return std::abs(static_cast<double>(tag.blobs.at(i).step) - static_cast<double>(step));
  };
  std::size_t nearest = tag.blobs.size() - 1;
  for (std::size_t i = nearest; i-- > 0;) {
    if (distance(i) < distance(nearest)) nearest = i;
  }
  return nearest;
}

// Returns the index of the last value logged at `step`. Steps may be in any order.
Result<std::size_t> IndexOfStep(const reader::Tag& tag, std::int64_t step) {
  for (std::size_t i = tag.blobs.size(); i-- > 0;) {
    if (tag.blobs.at(i).step == step) return i;
  }
  return Fail(ErrorCode::kNotFound,
              "tag " + Quoted(tag.name()) + " has no value at step " + std::to_string(step));
}

Result<std::vector<std::size_t>> QueriedSteps(const ApiCall& call, const reader::Tag& tag,
                                              std::size_t usual) {
  if (call.target.Query("step")) {
    CBOARD_ASSIGN_OR_RETURN(const double step, NumberQuery(call.target, "step", 0));
    CBOARD_ASSIGN_OR_RETURN(const std::size_t index,
                            IndexOfStep(tag, static_cast<std::int64_t>(step)));
    return std::vector<std::size_t>{index};
  }
  CBOARD_ASSIGN_OR_RETURN(const std::size_t limit,
                          call.target.NumberQuery("limit", 1, 10'000, usual));
  return reader::SelectSteps(tag.blobs.size(), limit);
}

Result<std::vector<reader::HistogramStep>> QueriedHistograms(const ApiCall& call,
                                                             std::size_t usual) {
  CBOARD_ASSIGN_OR_RETURN(const TagOfRun found, QueriedTag(call, reader::TagKind::kHistogram));
  CBOARD_ASSIGN_OR_RETURN(const auto indices, QueriedSteps(call, *found.tag, usual));
  return reader::ReadHistograms(*found.run, *found.tag, indices);
}

void WriteHead(JsonWriter& json, const ApiCall& call,
               const std::vector<reader::HistogramStep>& steps) {
  json.BeginObject().Key("snapshot").Value(call.snapshot->version);
  WriteValues(json, "steps", steps, &reader::HistogramStep::step);
  json.Key("wall_times").BeginArray();
  for (const reader::HistogramStep& step : steps) json.Value(step.wall_time_seconds);
  json.EndArray();
}

template <typename Member>
void WriteBins(JsonWriter& json, std::string_view key,
               const std::vector<reader::HistogramStep>& steps, Member member) {
  json.Key(key).BeginArray();
  for (const reader::HistogramStep& step : steps) {
    json.BeginArray();
    for (const reader::HistogramBin& bin : step.histogram.bins) WriteNumber(json, bin.*member);
    json.EndArray();
  }
  json.EndArray();
}

constexpr std::size_t kMaxAskedBars = 4096;

// Returns the number of bars in the query: a suitable number for "auto", 0 if "bins" is missing.
Result<std::size_t> QueriedBars(const ApiCall& call,
                                std::span<const reader::LoggedHistogram> histograms) {
  const auto asked = call.target.Query("bins");
  if (!asked) return std::size_t{0};
  if (*asked == "auto") return reader::BarCount(histograms);
  return call.target.NumberQuery("bins", 1, kMaxAskedBars, 0);
}

void WriteBars(JsonWriter& json, std::span<const reader::LoggedHistogram> histograms,
               std::size_t bars) {
  const std::vector<double> edges = reader::SharedEdges(histograms, bars);
  WriteNumbers(json, "edges", edges);
  json.Key("counts").BeginArray();
  for (const reader::LoggedHistogram& histogram : histograms) {
    json.BeginArray();
    for (const double count : reader::Rebin(histogram.bins, edges).counts) WriteNumber(json, count);
    json.EndArray();
  }
  json.EndArray();
}

Result<HttpResponse> GetHistograms(const ApiCall& call) {
  CBOARD_ASSIGN_OR_RETURN(const auto steps, QueriedHistograms(call, 50));
  std::vector<reader::LoggedHistogram> histograms;
  for (const reader::HistogramStep& step : steps) histograms.push_back(step.histogram);
  CBOARD_ASSIGN_OR_RETURN(const std::size_t bars, QueriedBars(call, histograms));
  const auto moment = [](double reader::HistogramMoments::*member) {
    return [member](const reader::HistogramStep& step) {
      const auto& moments = step.histogram.moments;
      return moments ? std::optional((*moments).*member) : std::nullopt;
    };
  };
  JsonWriter json;
  WriteHead(json, call, steps);
  if (bars > 0) {
    WriteBars(json, histograms, bars);
  } else {
    WriteBins(json, "lefts", steps, &reader::HistogramBin::left);
    WriteBins(json, "rights", steps, &reader::HistogramBin::right);
    WriteBins(json, "counts", steps, &reader::HistogramBin::count);
  }
  WriteNumbers(json, "min", steps, moment(&reader::HistogramMoments::min));
  WriteNumbers(json, "max", steps, moment(&reader::HistogramMoments::max));
  WriteNumbers(json, "num", steps,
               [](const reader::HistogramStep& step) { return step.histogram.count; });
  WriteNumbers(json, "unplaced", steps,
               [](const reader::HistogramStep& step) { return step.histogram.unplaced; });
  WriteNumbers(json, "sum", steps, moment(&reader::HistogramMoments::sum));
  WriteNumbers(json, "sum_squares", steps, moment(&reader::HistogramMoments::sum_squares));
  json.EndObject();
  return JsonResponse(json.Take());
}

Result<HttpResponse> GetDistributions(const ApiCall& call) {
  CBOARD_ASSIGN_OR_RETURN(const auto steps, QueriedHistograms(call, 500));
  JsonWriter json;
  WriteHead(json, call, steps);
  WriteNumbers(json, "basis_points", reader::kDistributionBasisPoints);
  json.Key("percentiles").BeginArray();
  for (const reader::HistogramStep& step : steps) {
    json.BeginArray();
    for (const double value : reader::Distribution(step.histogram.bins)) WriteNumber(json, value);
    json.EndArray();
  }
  json.EndArray().EndObject();
  return JsonResponse(json.Take());
}

Result<reader::HistogramStep> ReadOne(const ApiCall& call, const SeriesName& name, bool nearest) {
  CBOARD_ASSIGN_OR_RETURN(const reader::Run* const run, FindRun(call, name.run));
  CBOARD_ASSIGN_OR_RETURN(const reader::Tag* const tag,
                          FindTag(*run, name.tag, reader::TagKind::kHistogram));
  if (tag->blobs.empty())
    return Fail(ErrorCode::kNotFound, "the values were removed from the logs; reload the page");
  std::size_t index = tag->blobs.size() - 1;
  if (name.has_step && nearest) {
    index = IndexNearStep(*tag, name.step);
  } else if (name.has_step) {
    CBOARD_ASSIGN_OR_RETURN(index, IndexOfStep(*tag, name.step));
  }
  const std::size_t indices[] = {index};
  CBOARD_ASSIGN_OR_RETURN(std::vector<reader::HistogramStep> steps,
                          reader::ReadHistograms(*run, *tag, indices));
  return std::move(steps.front());
}

void WriteOverlay(JsonWriter& json, const reader::HistogramStep& step,
                  const std::vector<double>& edges) {
  const reader::LoggedHistogram& histogram = step.histogram;
  json.Key("step").Value(step.step).Key("wall_time").Value(step.wall_time_seconds);
  WriteNumbers(json, "counts", reader::Rebin(histogram.bins, edges).counts);
  json.Key("num");
  WriteNumber(json, histogram.count);
  json.Key("unplaced");
  WriteNumber(json, histogram.unplaced);
  if (!histogram.moments) return;
  const reader::HistogramMoments& moments = *histogram.moments;
  const double n = histogram.count;
  const double mean = moments.sum / n;
  json.Key("min").Value(moments.min).Key("max").Value(moments.max).Key("mean").Value(mean);
  json.Key("deviation").Value(std::sqrt(std::max(0.0, moments.sum_squares / n - mean * mean)));
}

// Returns the edges of equal bins from "from" to "to", or an empty list if the body names neither.
Result<std::vector<double>> AskedEdges(const JsonBody& body, std::size_t bins) {
  if (!body.Has("from") || !body.Has("to")) return std::vector<double>{};
  CBOARD_ASSIGN_OR_RETURN(const double from, body.Number("from", 0));
  CBOARD_ASSIGN_OR_RETURN(const double to, body.Number("to", 0));
  const double width = (to - from) / static_cast<double>(bins);
  if (!std::isfinite(width) || !(from + width > from) || !(to - width < to)) {
    return Fail(ErrorCode::kInvalidArgument,
                "'from' must be less than 'to', and far enough apart for " + std::to_string(bins) +
                    " bins");
  }
  std::vector<double> edges;
  for (std::size_t i = 0; i < bins; ++i) edges.push_back(from + static_cast<double>(i) * width);
  edges.push_back(to);
  return edges;
}

Result<HttpResponse> PostOverlay(const ApiCall& call) {
  CBOARD_ASSIGN_OR_RETURN(const JsonBody body, JsonBody::Parse(call.body));
  CBOARD_ASSIGN_OR_RETURN(const std::vector<SeriesName> names, ParseSeriesNames(body, 3));
  CBOARD_ASSIGN_OR_RETURN(const std::size_t nearest, body.Whole("nearest", 0, 1, 0));
  std::vector<Result<reader::HistogramStep>> steps;
  std::vector<reader::LoggedHistogram> readable;
  for (const SeriesName& name : names) {
    steps.push_back(ReadOne(call, name, nearest == 1));
    if (steps.back()) readable.push_back(steps.back()->histogram);
  }
  CBOARD_ASSIGN_OR_RETURN(const std::size_t bins,
                          body.Whole("bins", 1, kMaxAskedBars, reader::BarCount(readable)));
  CBOARD_ASSIGN_OR_RETURN(std::vector<double> edges, AskedEdges(body, bins));
  if (edges.empty()) edges = reader::SharedEdges(readable, bins);
  JsonWriter json;
  json.BeginObject().Key("snapshot").Value(call.snapshot->version);
  WriteNumbers(json, "edges", edges);
  json.Key("series").BeginArray();
  for (std::size_t i = 0; i < names.size(); ++i) {
    json.BeginObject().Key("run").Value(names[i].run).Key("tag").Value(names[i].tag);
    if (steps[i]) {
      WriteOverlay(json, *steps[i], edges);
    } else {
      const Error& error = steps[i].error();
      json.Key("error").BeginObject().Key("code").Value(NameOf(error.code));
      json.Key("message").Value(error.message).EndObject();
    }
    json.EndObject();
  }
  json.EndArray().EndObject();
  return JsonResponse(json.Take());
}

}  // namespace

std::vector<ApiRoute> HistogramRoutes() {
  const std::vector<Parameter> parameters = {
      {"run", ParameterType::kText, true, false, "The run."},
      {"tag", ParameterType::kText, true, false, "The tag."},
      {"limit", ParameterType::kWhole, false, false, "At most so many steps, evenly chosen."},
      {"step", ParameterType::kWhole, false, false, "This step only."}};
  std::vector<Parameter> with_bars = parameters;
  with_bars.push_back(
      {"bins", ParameterType::kText, false, false,
       "Count again in this number of bars of equal width, the same for all steps; 'auto': "
       "as many as suit the number of values."});
  return {
      {.method = "GET",
       .path = "/histograms",
       .summary = "Histograms with the bins that were logged, or in bars of equal width.",
       .parameters = with_bars,
       .handler = GetHistograms},
      {.method = "GET",
       .path = "/distributions",
       .summary = "The nine percentiles of TensorBoard's distributions.",
       .parameters = parameters,
       .handler = GetDistributions},
      {.method = "POST",
       .path = "/histograms/overlay",
       .summary = "Several histograms on the same edges, mass kept.",
       .body_example = R"({"series":[["fp32","conv1",null],["int8","conv1",null]],"bins":256})",
       .handler = PostOverlay},
  };
}

}  // namespace cboard::server
