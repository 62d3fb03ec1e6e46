#include "server/routes.h"

#include <algorithm>
#include <array>

#include "cboard/base/bytes.h"
#include "cboard/base/strings.h"
#include "server/downsample.h"
#include "server/json_columns.h"
#include "server/page_files.h"

namespace cboard {
namespace {

constexpr std::size_t kMostPoints = 1'000'000;
constexpr std::size_t kUsualPoints = 1'000;

std::uint64_t DamagedBytes(const RunScan& run) {
  std::uint64_t bytes = 0;
  for (const FileScan& file : run.files) bytes += file.damaged_bytes;
  return bytes;
}

// Of a run without events: minus infinity, which is no time.
std::optional<double> TimeOf(double newest_wall_time_seconds) {
  return std::isfinite(newest_wall_time_seconds) ? std::optional(newest_wall_time_seconds)
                                                 : std::nullopt;
}

HttpResponse GetHealth() { return {.status = 200, .body = "ok\n"}; }

HttpResponse GetRuns(const LogSnapshot& snapshot, const BoardLook& look) {
  const auto& runs = snapshot.runs;
  JsonWriter json;
  json.BeginObject();
  json.Key("logdir").Value(look.logdir).Key("window_title").Value(look.window_title);
  json.Key("generation").Value(snapshot.generation);
  json.Key("loaded").Value(snapshot.generation > 0);
  json.Key("problems").BeginArray();
  if (snapshot.error) json.Value(snapshot.error->message);
  for (const Error& error : snapshot.unreadable) json.Value(error.message);
  json.EndArray();
  WriteValues(json, "runs", runs, [](const auto& run) { return run->scan.name; });
  WriteValues(json, "tag_counts", runs, [](const auto& run) { return run->scan.tags.size(); });
  WriteValues(json, "event_counts", runs, [](const auto& run) { return run->scan.event_count; });
  WriteNumbers(json, "newest_wall_times", runs,
               [](const auto& run) { return TimeOf(run->scan.newest_wall_time_seconds); });
  WriteValues(json, "damaged_bytes", runs, [](const auto& run) { return DamagedBytes(run->scan); });
  return JsonResponse(json.EndObject().Take());
}

Result<HttpResponse> GetTags(const Target& target, const LogSnapshot& snapshot) {
  CBOARD_ASSIGN_OR_RETURN(const std::string run, target.Query("run"));
  CBOARD_ASSIGN_OR_RETURN(const RunLog* const log, snapshot.FindRun(run));
  const auto& tags = log->scan.tags;
  JsonWriter json;
  json.BeginObject().Key("run").Value(run);
  WriteValues(json, "tags", tags, [](const auto& entry) { return entry.first; });
  WriteValues(json, "kinds", tags, [](const auto& entry) { return NameOf(entry.second.kind); });
  WriteValues(json, "display_names", tags,
              [](const auto& entry) { return entry.second.display_name; });
  WriteValues(json, "counts", tags, [](const auto& entry) { return entry.second.count; });
  WriteValues(json, "min_steps", tags, [](const auto& entry) { return entry.second.min_step; });
  WriteValues(json, "max_steps", tags, [](const auto& entry) { return entry.second.max_step; });
  WriteNumbers(json, "last_values", tags,
               [](const auto& entry) { return entry.second.last_value; });
  return JsonResponse(json.EndObject().Take());
}

// Run and tag travel in the query because both may contain slashes.
Result<HttpResponse> GetScalars(const Target& target, const LogSnapshot& snapshot) {
  CBOARD_ASSIGN_OR_RETURN(const std::string run, target.Query("run"));
  CBOARD_ASSIGN_OR_RETURN(const std::string tag, target.Query("tag"));
  CBOARD_ASSIGN_OR_RETURN(
      const std::size_t max_points,
      target.NumberQuery("max_points", kMinDownsampledPoints, kMostPoints, kUsualPoints));
  CBOARD_ASSIGN_OR_RETURN(const TagScan* const series, snapshot.FindScalars(run, tag));
  const std::vector<std::size_t> kept = Downsample(series->points, max_points);
  const auto point = [&](std::size_t i) -> const ScalarPoint& { return series->points[i]; };
  JsonWriter json;
  json.BeginObject().Key("run").Value(run).Key("tag").Value(tag);
  json.Key("total_points").Value(series->points.size());
  WriteValues(json, "steps", kept, [&](std::size_t i) { return point(i).step; });
  WriteNumbers(json, "wall_times", kept, [&](std::size_t i) { return point(i).wall_time_seconds; });
  WriteNumbers(json, "values", kept, [&](std::size_t i) { return point(i).value; });
  return JsonResponse(json.EndObject().Take());
}

std::string_view ContentTypeOf(std::string_view name) {
  if (name.ends_with(".html")) return "text/html; charset=utf-8";
  if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (name.ends_with(".css")) return "text/css; charset=utf-8";
  if (name.ends_with(".svg")) return "image/svg+xml";
  return "application/octet-stream";
}

// Only names that are in the program are served, so no path can lead anywhere else.
Result<HttpResponse> GetPageFile(const Target& target) {
  const std::string_view name =
      target.path == "/" ? "index.html" : std::string_view(target.path).substr(1);
  const auto files = PageFiles();
  const auto found = std::ranges::find(files, name, &PageFile::name);
  if (found == files.end()) {
    return Fail(ErrorCode::kNotFound, "there is nothing at " + Quoted(target.path));
  }
  return HttpResponse{.status = 200,
                      .content_type = std::string(ContentTypeOf(name)),
                      .body = std::string(AsText(std::as_bytes(found->content)))};
}

}  // namespace

Result<HttpResponse> Route(const Target& target, const LogSnapshot& snapshot,
                           const BoardLook& look) {
  if (target.path == "/healthz") return GetHealth();
  if (target.path == "/api/v1/runs") return GetRuns(snapshot, look);
  if (target.path == "/api/v1/tags") return GetTags(target, snapshot);
  if (target.path == "/api/v1/scalars") return GetScalars(target, snapshot);
  if (target.path == "/api/v1/comparison") return JsonResponse(ToJson(snapshot.comparison));
  return GetPageFile(target);
}

}  // namespace cboard
