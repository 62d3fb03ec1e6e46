#include "event_file.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <optional>

#include "cboard/base/clock.h"
#include "cboard/base/strings.h"
#include "cboard/proto/event.h"
#include "cboard/proto/summary.h"
#include "cboard/record/crc32c.h"
#include "cboard/record/record_writer.h"
#include "errors.h"
#include "summaries.h"
#include "tensor_arg.h"
#include "unlocked.h"
#include "writer/partial_record.h"
#include "writer/summary/tag_cleaning.h"

namespace nb = nanobind;

namespace cboard::python {
namespace {

// The open descriptor of `path` in this process, -1 if there is none.
int FindDescriptor(const std::string& path) {
  std::error_code error;
  const std::filesystem::path wanted = std::filesystem::canonical(path, error);
  if (error) return -1;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", error)) {
    std::error_code unreadable;
    if (std::filesystem::read_symlink(entry.path(), unreadable) == wanted) {
      return std::stoi(entry.path().filename().string());
    }
  }
  return -1;
}

std::string SummaryEvent(std::string_view summary, std::int64_t step, double wall_time_seconds) {
  return proto::EncodeEvent({.wall_time_seconds = wall_time_seconds,
                             .step = step,
                             .kind = proto::EventKind::kSummary,
                             .payload = summary});
}

nb::bytes ToBytes(std::string_view text) { return nb::bytes(text.data(), text.size()); }

std::string_view ViewOf(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

// One point of `tag` per element: float64 values, int64 steps, float64 times or None for now.
void AddScalars(EventFile& self, const std::string& tag, nb::handle values, nb::handle steps,
                nb::handle wall_times) {
  const TensorArg numbers(values);
  const TensorArg counts(steps);
  std::optional<TensorArg> times;
  if (!wall_times.is_none()) times.emplace(wall_times);
  const std::size_t size = numbers.view().element_count();
  if (numbers.view().dtype != DType::kFloat64 || counts.view().dtype != DType::kInt64 ||
      (times && times->view().dtype != DType::kFloat64)) {
    throw nb::type_error("values and wall times are float64, steps are int64");
  }
  if (counts.view().element_count() != size || (times && times->view().element_count() != size)) {
    throw nb::value_error("there must be as many steps and wall times as values");
  }
  Result<void> added;
  {
    const Unlocked unlocked;
    const auto* value = static_cast<const double*>(numbers.view().data);
    const auto* step = static_cast<const std::int64_t*>(counts.view().data);
    const auto* time = times ? static_cast<const double*>(times->view().data) : nullptr;
    const double now = WallTimeSeconds();
    for (std::size_t i = 0; added && i < size; ++i) {
      added = self.AddScalar(tag, static_cast<float>(value[i]), step[i],
                             time != nullptr ? time[i] : now);
    }
  }
  Unwrap(std::move(added));
}

// What Python's histogram_summary and add_summary do, without the bytes in between.
void AddHistogram(EventFile& self, const std::string& tag, nb::handle values, const Bins& bins,
                  std::size_t max_bins, std::int64_t step, double wall_time) {
  const TensorArg tensor(values);
  Result<std::string> summary;
  {
    const Unlocked unlocked;
    summary = MakeHistogramOf(tag, tensor.view(), bins, max_bins);
  }
  Unwrap(self.AddEvent(SummaryEvent(Unwrap(std::move(summary)), step, wall_time)));
}

}  // namespace

EventFile::EventFile(const std::string& directory, const WriterOptions& options)
    : owner_pid_(::getpid()) {
  Result<std::unique_ptr<EventFileWriter>> writer;
  {
    const Unlocked unlocked;
    writer = EventFileWriter::Open(directory, options);
  }
  writer_ = Unwrap(std::move(writer));
  path_ = writer_->path().string();
}

EventFile::~EventFile() {
  const Unlocked unlocked;
  writer_.reset();
}

Result<void> EventFile::AddRefusedScalar(Result<void> refused, std::string_view tag, float value,
                                         std::int64_t step, double wall_time_seconds) {
  if (refused.error().code != ErrorCode::kFailedPrecondition || ::getpid() == owner_pid_) {
    return refused;
  }
  std::string summary;
  proto::AppendScalarValue(summary::CleanTag(tag), value, {}, summary);
  return AddEventInChild(SummaryEvent(summary, step, wall_time_seconds));
}

Result<void> EventFile::AddEvent(std::string_view event) {
  if (closed_) return {};
  const Unlocked unlocked;  // It waits while the disk is behind.
  if (::getpid() != owner_pid_) return AddEventInChild(event);
  Result<void> added = writer_->AddEvent(event);
  if (!added && closed_) return {};  // Another thread has just closed it.
  return added;
}

Result<void> EventFile::AddEventInChild(std::string_view event) {
  if (child_descriptor_ < 0) child_descriptor_ = FindDescriptor(path_);
  if (child_descriptor_ < 0) {
    return Fail(ErrorCode::kFailedPrecondition,
                "event file " + Quoted(path_) +
                    " is not open in this process any more; make a new writer after fork()");
  }
  std::string record;
  AppendRecord(AsBytes(event), record);
  ssize_t written;
  do {
    written = ::write(child_descriptor_, record.data(), record.size());
  } while (written < 0 && errno == EINTR);
  if (written != static_cast<ssize_t>(record.size())) {
    const int reason = written < 0 ? errno : ENOSPC;
    // If the parent has written behind it, readers find what it wrote.
    if (written > 0) RemovePartialRecord(child_descriptor_, static_cast<std::size_t>(written));
    return Fail(ErrnoError(reason, "write to " + Quoted(path_)));
  }
  return {};
}

Result<void> EventFile::Flush() {
  // A child has nothing that waits.
  if (closed_ || ::getpid() != owner_pid_) return {};
  const Unlocked unlocked;
  return writer_->Flush();
}

Result<void> EventFile::Close() {
  if (closed_.exchange(true)) return {};
  if (::getpid() != owner_pid_) return {};
  const Unlocked unlocked;
  return writer_->Close();
}

void BindEventFile(nb::module_& module) {
  nb::class_<EventFile>(module, "EventFile")
      .def(
          "__init__",
          [](EventFile* self, const std::string& directory, std::optional<std::int64_t> purge_step,
             std::size_t max_queue, double flush_secs, const std::string& filename_suffix) {
            WriterOptions options;
            options.purge_step = purge_step;
            options.max_queue = max_queue;
            options.flush_secs = flush_secs;
            options.filename_suffix = filename_suffix;
            new (self) EventFile(directory, options);
          },
          nb::arg("directory"), nb::arg("purge_step") = nb::none(), nb::arg("max_queue") = 10,
          nb::arg("flush_secs") = 120.0, nb::arg("filename_suffix") = "")
      .def("add_event",
           [](EventFile& self, const nb::bytes& event) { Unwrap(self.AddEvent(ViewOf(event))); })
      .def("add_summary",
           [](EventFile& self, const nb::bytes& summary, std::int64_t step, double wall_time) {
             Unwrap(self.AddEvent(SummaryEvent(ViewOf(summary), step, wall_time)));
           })
      .def("add_graph",
           [](EventFile& self, const nb::bytes& graph_def, double wall_time) {
             Unwrap(self.AddEvent(proto::EncodeEvent({.wall_time_seconds = wall_time,
                                                      .kind = proto::EventKind::kGraphDef,
                                                      .payload = ViewOf(graph_def)})));
           })
      .def("add_scalars", AddScalars, nb::arg("tag"), nb::arg("values"), nb::arg("steps"),
           nb::arg("wall_times").none())
      .def("add_histogram", AddHistogram)
      .def("flush", [](EventFile& self) { Unwrap(self.Flush()); })
      .def("close", [](EventFile& self) { Unwrap(self.Close()); })
      .def_prop_ro("path", &EventFile::path)
      .def_prop_ro("closed", &EventFile::closed)
      .def_rw("plain", &EventFile::plain);

  module.def("crc32c",
             [](const nb::bytes& bytes) { return ComputeCrc32c(AsBytes(ViewOf(bytes))); });
  module.def("masked_crc32c", [](const nb::bytes& bytes) {
    return ToInteger(ComputeMaskedCrc(AsBytes(ViewOf(bytes))));
  });
  module.def("record", [](const nb::bytes& payload) {
    std::string record;
    AppendRecord(AsBytes(ViewOf(payload)), record);
    return ToBytes(record);
  });
  module.def("clean_tag", [](const std::string& tag) { return summary::CleanTag(tag); });
}

}  // namespace cboard::python
