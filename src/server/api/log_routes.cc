// Routes for the log directory: status, runs, files, tags.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "cboard/base/strings.h"
#include "server/api/api_route.h"
#include "server/api/change_event.h"
#include "server/content/json_columns.h"

namespace cboard::server {
namespace {

// Writes null for the start and end time of runs without events, because these times are infinite.
std::optional<double> TimeOf(double seconds) {
  return std::isfinite(seconds) ? std::optional(seconds) : std::nullopt;
}

std::uint64_t DamagedBytes(const reader::Run& run) {
  std::uint64_t bytes = 0;
  for (const auto& file : run.files) bytes += file->damaged_bytes;
  return bytes;
}

// Counts files that could not be read to their end because the file system returned an error.
std::size_t FailedFiles(const reader::Run& run) {
  return static_cast<std::size_t>(
      std::ranges::count_if(run.files, [](const auto& file) { return file->error.has_value(); }));
}

// Returns true if a part of the run's log could not be read.
bool IsDamaged(const reader::Run& run) { return DamagedBytes(run) > 0 || FailedFiles(run) > 0; }

Result<HttpResponse> GetStatus(const ApiCall& call) {
  const reader::Snapshot& snapshot = *call.snapshot;
  double newest = -std::numeric_limits<double>::infinity();
  std::uint64_t tags = 0;
  std::uint64_t damaged_runs = 0;
  for (const auto& run : snapshot.runs) {
    newest = std::fmax(newest, run->newest_wall_time_seconds);
    tags += run->tags.size();
    if (IsDamaged(*run)) ++damaged_runs;
  }
  JsonWriter json;
  json.BeginObject().Key("version").Value(call.look.version);
  json.Key("window_title").Value(call.look.window_title);
  json.Key("snapshot").Value(snapshot.version);
  json.Key("logdirs").BeginObject();
  WriteValues(json, "names", call.look.logdirs,
              [](const reader::Logdir& logdir) { return logdir.name; });
  WriteValues(json, "paths", call.look.logdirs,
              [](const reader::Logdir& logdir) { return logdir.path.string(); });
  json.EndObject();
  WriteProgress(json, snapshot.progress);
  json.Key("runs").Value(snapshot.runs.size()).Key("tags").Value(tags);
  json.Key("newest_wall_time");
  WriteNumber(json, TimeOf(newest));
  json.Key("damaged_runs").Value(damaged_runs);
  json.Key("allow_control").Value(call.look.allow_control);
  json.Key("problems").BeginObject();
  WriteValues(json, "codes", snapshot.unreadable,
              [](const Error& error) { return NameOf(error.code); });
  WriteValues(json, "messages", snapshot.unreadable,
              [](const Error& error) { return std::string_view(error.message); });
  json.EndObject().EndObject();
  return JsonResponse(json.Take());
}

Result<HttpResponse> GetSources(const ApiCall& call) {
  const std::vector<LogSource> sources =
      call.look.sources ? call.look.sources() : std::vector<LogSource>();
  JsonWriter json;
  json.BeginObject();
  WriteValues(json, "addresses", sources,
              [](const auto& s) { return std::string_view(s.address); });
  WriteValues(json, "loaded", sources, [](const auto& s) { return s.is_loaded; });
  WriteValues(json, "errors", sources, [](const auto& s) { return std::string_view(s.error); });
  WriteNumbers(json, "last_reads", sources, [](const auto& s) { return s.last_read; });
  WriteValues(json, "files", sources, [](const auto& s) { return s.files; });
  WriteValues(json, "bytes", sources, [](const auto& s) { return s.bytes; });
  json.Key("skipped").BeginArray();
  for (const LogSource& source : sources) {
    json.BeginArray();
    for (const std::string& line : source.skipped) json.Value(line);
    json.EndArray();
  }
  json.EndArray().EndObject();
  return JsonResponse(json.Take());
}

Result<HttpResponse> GetRuns(const ApiCall& call) {
  CBOARD_ASSIGN_OR_RETURN(const double only_damaged, NumberQuery(call.target, "damaged", 0));
  auto runs = call.snapshot->runs;
  if (only_damaged == 1) std::erase_if(runs, [](const auto& run) { return !IsDamaged(*run); });
  JsonWriter json;
  json.BeginObject().Key("snapshot").Value(call.snapshot->version);
  WriteValues(json, "names", runs, [](const auto& run) { return std::string_view(run->name); });
  WriteNumbers(json, "first_wall_times", runs,
               [](const auto& run) { return TimeOf(run->first_wall_time_seconds); });
  WriteNumbers(json, "newest_wall_times", runs,
               [](const auto& run) { return TimeOf(run->newest_wall_time_seconds); });
  WriteValues(json, "tag_counts", runs, [](const auto& run) { return run->tags.size(); });
  WriteValues(json, "event_counts", runs, [](const auto& run) { return run->event_count; });
  WriteValues(json, "damaged_bytes", runs, [](const auto& run) { return DamagedBytes(*run); });
  WriteValues(json, "failed_files", runs, [](const auto& run) { return FailedFiles(*run); });
  WriteValues(json, "versions", runs, [](const auto& run) { return run->version; });
  json.EndObject();
  return JsonResponse(json.Take());
}

Result<HttpResponse> GetFiles(const ApiCall& call) {
  CBOARD_ASSIGN_OR_RETURN(const std::string name, call.target.Query("run"));
  CBOARD_ASSIGN_OR_RETURN(const reader::Run* const run, FindRun(call, name));
  const auto& files = run->files;
  std::map<std::filesystem::path, std::size_t> index;
  for (std::size_t i = 0; i < files.size(); ++i) index.emplace(files[i]->path, i);
  JsonWriter json;
  json.BeginObject().Key("snapshot").Value(call.snapshot->version).Key("run").Value(run->name);
  WriteValues(json, "paths", files, [](const auto& file) { return file->path.string(); });
  WriteValues(json, "sizes", files, [](const auto& file) { return file->size_bytes; });
  WriteValues(json, "records", files, [](const auto& file) { return file->record_count; });
  WriteValues(json, "damaged_bytes", files, [](const auto& file) { return file->damaged_bytes; });
  WriteValues(json, "torn_bytes", files, [](const auto& file) { return file->torn_bytes; });
  json.Key("errors").BeginArray();
  for (const auto& file : files) {
    if (file->error) {
      json.Value(file->error->message);
    } else {
      json.Null();
    }
  }
  json.EndArray();
  json.Key("damage_count").Value(run->damage_count).Key("damage").BeginObject();
  WriteValues(json, "files", run->damage, [&](const reader::Damage& damage) {
    const auto found = index.find(damage.path);
    return found == index.end() ? std::size_t{0} : found->second;
  });
  WriteValues(json, "offsets", run->damage, &reader::Damage::offset);
  WriteValues(json, "bytes", run->damage, &reader::Damage::bytes);
  WriteValues(json, "reasons", run->damage, &reader::Damage::reason);
  json.EndObject().EndObject();
  return JsonResponse(json.Take());
}

struct TagColumn {
  const reader::TagInfo* info = nullptr;
  std::vector<std::size_t> runs;
  std::uint64_t count = 0;
  std::int64_t min_step = 0;
  std::int64_t max_step = 0;
};

// Joins tags of the same name and kind in different runs into one row.
std::map<std::pair<std::string_view, reader::TagKind>, TagColumn> CollectTags(
    const reader::Snapshot& snapshot, std::string_view run_name, std::string_view kind) {
  std::map<std::pair<std::string_view, reader::TagKind>, TagColumn> columns;
  // Compares first with the row after the last match, because the runs of a sweep have the same
  // tags in the same order.
  std::vector<decltype(columns)::value_type*> before;
  for (std::size_t r = 0; r < snapshot.runs.size(); ++r) {
    const reader::Run& run = *snapshot.runs[r];
    if (!run_name.empty() && run.name != run_name) continue;
    std::size_t place = 0;
    for (const reader::Tag& tag : run.tags) {
      if (!kind.empty() && NameOf(tag.kind()) != kind) continue;
      const std::pair<std::string_view, reader::TagKind> key(tag.name(), tag.kind());
      if (place == before.size()) before.push_back(nullptr);
      auto*& entry = before[place++];
      if (entry == nullptr || entry->first != key) entry = &*columns.try_emplace(key).first;
      TagColumn& column = entry->second;
      if (column.info == nullptr) {
        column = {tag.info.get(), {}, 0, tag.min_step, tag.max_step};
      }
      column.runs.push_back(r);
      column.count += tag.size();
      column.min_step = std::min(column.min_step, tag.min_step);
      column.max_step = std::max(column.max_step, tag.max_step);
    }
  }
  return columns;
}

// Writes ranges of successive run numbers as first and last: a tag of thousands of runs needs two
// numbers.
void WriteRanges(JsonWriter& json, const std::vector<std::size_t>& ascending) {
  json.BeginArray();
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    if (i == 0 || ascending[i] != ascending[i - 1] + 1) json.Value(ascending[i]);
    if (i + 1 == ascending.size() || ascending[i + 1] != ascending[i] + 1) json.Value(ascending[i]);
  }
  json.EndArray();
}

Result<HttpResponse> GetTags(const ApiCall& call) {
  CBOARD_ASSIGN_OR_RETURN(const double as_ranges, NumberQuery(call.target, "ranges", 0));
  const std::string run_name = TextQuery(call.target, "run");
  if (!run_name.empty()) CBOARD_RETURN_IF_ERROR(FindRun(call, run_name));
  const auto columns = CollectTags(*call.snapshot, run_name, TextQuery(call.target, "kind"));
  const auto info = [](const auto& entry) -> const reader::TagInfo& { return *entry.second.info; };
  JsonWriter json;
  json.BeginObject().Key("snapshot").Value(call.snapshot->version);
  WriteValues(json, "runs", call.snapshot->runs,
              [](const auto& run) { return std::string_view(run->name); });
  WriteValues(json, "names", columns, [](const auto& entry) { return entry.first.first; });
  WriteValues(json, "kinds", columns, [](const auto& entry) { return NameOf(entry.first.second); });
  WriteValues(json, "plugins", columns,
              [&](const auto& entry) { return ToValidUtf8(info(entry).plugin_name); });
  WriteValues(json, "display_names", columns,
              [&](const auto& entry) { return std::string_view(info(entry).display_name); });
  WriteValues(json, "descriptions", columns,
              [&](const auto& entry) { return std::string_view(info(entry).description); });
  if (as_ranges == 1) {
    json.Key("run_ranges").BeginArray();
    for (const auto& [key, column] : columns) WriteRanges(json, column.runs);
  } else {
    json.Key("run_lists").BeginArray();
    for (const auto& [key, column] : columns) {
      json.BeginArray();
      for (const std::size_t run : column.runs) json.Value(run);
      json.EndArray();
    }
  }
  json.EndArray();
  WriteValues(json, "counts", columns, [](const auto& entry) { return entry.second.count; });
  WriteValues(json, "min_steps", columns, [](const auto& entry) { return entry.second.min_step; });
  WriteValues(json, "max_steps", columns, [](const auto& entry) { return entry.second.max_step; });
  json.EndObject();
  return JsonResponse(json.Take());
}

}  // namespace

std::vector<ApiRoute> LogRoutes() {
  constexpr ParameterType kText = ParameterType::kText;
  return {
      {.method = "GET",
       .path = "/status",
       .summary = "The log directory that is served, and the loading progress.",
       .handler = GetStatus},
      {.method = "GET",
       .path = "/sources",
       .summary = "Buckets that the logs are copied from: when they were read, and what failed.",
       .in_snapshot = false,
       .handler = GetSources},
      {.method = "GET",
       .path = "/runs",
       .summary = "All runs.",
       .parameters = {{"damaged", ParameterType::kWhole, false, false,
                       "1: only those of which some of the log could not be read."}},
       .handler = GetRuns},
      {.method = "GET",
       .path = "/files",
       .summary = "The event files of a run, and the places that could not be read.",
       .parameters = {{"run", kText, true, false, "The run."}},
       .handler = GetFiles},
      {.method = "GET",
       .path = "/tags",
       .summary = "Every tag once, with the runs that have it.",
       .parameters = {{"run", kText, false, false, "Only the tags of this run."},
                      {"kind", kText, false, false, "Only tags of this kind: scalar, image, …"},
                      {"ranges", ParameterType::kWhole, false, false,
                       "1: run_ranges, first and last of successive runs, instead of run_lists."}},
       .handler = GetTags},
  };
}

}  // namespace cboard::server
