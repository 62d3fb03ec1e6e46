// Constructors, scalars, Flush and Close of SummaryWriter. summary_writer_kinds.cc has the other
// kinds of data.
#include "cboard/writer/summary_writer.h"

#include <array>
#include <ctime>
#include <utility>

#include "cboard/base/file.h"
#include "cboard/base/json_writer.h"
#include "cboard/proto/event.h"
#include "cboard/proto/summary.h"
#include "cboard/writer/run_file.h"
#include "writer/event_file.h"
#include "writer/summary/tag_cleaning.h"
#include "writer/summary_writer_impl.h"

namespace cboard::writer {
namespace {

// Returns the default log directory, runs/Nov15_20-05-31_<host><comment>, as in tensorboardX.
std::filesystem::path DefaultDirectory(const WriterOptions& options) {
  const Clock& clock = options.clock != nullptr ? *options.clock : SystemClock();
  const auto now = static_cast<std::time_t>(WholeSeconds(clock.NowSeconds()));
  std::tm local{};
  ::localtime_r(&now, &local);
  std::array<char, 64> date;
  std::strftime(date.data(), date.size(), "%b%d_%H-%M-%S", &local);
  return std::filesystem::path("runs") / (date.data() + ("_" + HostName()) + options.comment);
}

std::string SummaryEvent(std::string_view summary, std::optional<std::int64_t> step,
                         double wall_time_seconds) {
  return proto::EncodeEvent({.wall_time_seconds = wall_time_seconds,
                             .step = step.value_or(0),
                             .kind = proto::EventKind::kSummary,
                             .payload = summary});
}

}  // namespace

Result<void> SummaryWriter::Impl::AddSummary(std::string_view summary, const At& at) {
  const std::string event = SummaryEvent(summary, at.step, WallTime(at));
  return WithMain([&](EventFileWriter& file) { return file.AddEvent(event); });
}

SummaryWriter::SummaryWriter(std::filesystem::path directory, WriterOptions options) {
  if (directory.empty()) directory = DefaultDirectory(options);
  impl_ = std::make_unique<Impl>(std::move(directory), std::move(options));
  // Creates the event file now, so that viewers see the run. status() returns the error if this
  // fails.
  static_cast<void>(impl_->files.Main());
}

SummaryWriter::~SummaryWriter() { static_cast<void>(Close()); }

Result<void> SummaryWriter::status() const {
  return impl_->files.Main().map([](EventFileWriter*) {});
}

const std::filesystem::path& SummaryWriter::directory() const { return impl_->files.directory(); }

Result<std::filesystem::path> SummaryWriter::event_file() const {
  return impl_->files.Main().map([](EventFileWriter* file) { return file->path(); });
}

AddResult SummaryWriter::AddScalar(std::string_view tag, double value, const At& at) {
  const double wall_time = impl_->WallTime(at);
  const auto add = [&](EventFileWriter& file) {
    return file.AddScalar(tag, static_cast<float>(value), at.step.value_or(0), wall_time);
  };
  EventFileWriter* const main = impl_->files.OpenMain();
  Result<void> added = main != nullptr ? add(*main) : impl_->WithMain(add);
  if (!added && main != nullptr) [[unlikely]]
    added = impl_->WithMain(add);  // Tries again, because another thread may have closed the file.
  return added;
}

AddResult SummaryWriter::AddScalar(std::string_view tag, double value, const At& at,
                                   const ScalarLabels& labels) {
  CBOARD_ASSIGN_OR_RETURN(const std::string stored, summary::CleanStoredTag(tag));
  std::string summary;
  proto::AppendScalarValue(stored, static_cast<float>(value),
                           {.plugin_name = labels.plugin_name,
                            .plugin_content = labels.plugin_content,
                            .display_name = labels.display_name,
                            .description = labels.description},
                           summary);
  return impl_->AddSummary(summary, at);
}

AddResult SummaryWriter::AddScalars(std::string_view main_tag,
                                    const std::map<std::string, double>& values, At at) {
  // Checks all keys before it writes anything, so that a failed call writes nothing.
  struct KeyRun {
    std::filesystem::path path;
    double value;
  };
  std::vector<KeyRun> runs;
  for (const auto& [key, value] : values) {
    CBOARD_ASSIGN_OR_RETURN(std::filesystem::path path,
                            summary::SubRunPath(directory(), main_tag, key));
    runs.push_back({std::move(path), value});
  }
  // Gives all values the same time, because they belong together.
  const double wall_time = impl_->WallTime(at);
  for (const KeyRun& run : runs) {
    CBOARD_RETURN_IF_ERROR(impl_->WithFile([&] { return impl_->files.SubRun(run.path); },
                                           [&](EventFileWriter& file) {
                                             return file.AddScalar(main_tag,
                                                                   static_cast<float>(run.value),
                                                                   at.step.value_or(0), wall_time);
                                           }));
    Impl::GroupedPoints& points = impl_->points.Get();
    const std::lock_guard lock(points.mutex);
    points.by_run_path[run.path.string()].push_back({wall_time, at.step, run.value});
  }
  return {};
}

std::string SummaryWriter::Impl::GroupedPoints::ToJson() const {
  JsonWriter json(NonFinite::kAsLiteral);  // Writes NaN like Python's json module, which reads it.
  json.BeginObject();
  for (const auto& [run, run_points] : by_run_path) {
    json.Key(run).BeginArray();
    for (const Point& point : run_points) {
      json.BeginArray().Value(point.wall_time_seconds);
      if (point.step) {
        json.Value(*point.step);
      } else {
        json.Null();
      }
      json.Value(point.value).EndArray();
    }
    json.EndArray();
  }
  json.EndObject();
  return std::string(json.text());
}

std::string SummaryWriter::GroupedScalarsJson() const {
  Impl::GroupedPoints& grouped = impl_->points.Get();
  const std::lock_guard lock(grouped.mutex);
  return grouped.ToJson();
}

Result<void> SummaryWriter::ExportScalarsToJson(const std::filesystem::path& path) {
  Impl::GroupedPoints& grouped = impl_->points.Get();
  const std::lock_guard lock(grouped.mutex);
  CBOARD_RETURN_IF_ERROR(WriteRunFile(path, grouped.ToJson(), impl_->files.options().durable));
  grouped.by_run_path.clear();
  return {};
}

AddResult SummaryWriter::AddSummary(std::string_view serialized_summary, At at) {
  return impl_->AddSummary(serialized_summary, at);
}

AddResult SummaryWriter::AddEvent(std::string_view serialized_event) {
  return impl_->WithMain([&](EventFileWriter& file) { return file.AddEvent(serialized_event); });
}

Result<void> SummaryWriter::Flush() { return impl_->files.Flush(); }

Result<void> SummaryWriter::Close() { return impl_->files.Close(); }

}  // namespace cboard::writer
