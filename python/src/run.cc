#include "run.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "cboard/base/clock.h"
#include "cboard/record/crc32c.h"
#include "cboard/record/record_writer.h"
#include "cboard/writer/run_file.h"
#include "errors.h"
#include "summaries.h"
#include "tensor_arg.h"
#include "text.h"
#include "unlocked.h"
#include "writer/summary/tag_cleaning.h"

namespace nb = nanobind;

namespace cboard::python {

template <typename Call>
auto Run::Do(Call call) {
  decltype(call(writer_)) result;
  {
    const Unlocked unlocked;  // Waits if the disk is slower than the writer.
    result = call(writer_);
  }
  if (raised_) std::rethrow_exception(std::exchange(raised_, nullptr));
  return Unwrap(std::move(result));
}

namespace {

nb::bytes ToBytes(std::string_view text) { return nb::bytes(text.data(), text.size()); }

std::string_view ViewOf(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

// Calls `convert(tag)`; its error, or that of TagText(), becomes a Python exception.
template <Result<std::string> (*convert)(std::string_view)>
std::string CheckedTag(nb::handle tag) {
  const std::string_view text = TagText(tag.ptr());
  if (text.data() == nullptr) throw nb::python_error();
  return Unwrap(convert(text));
}

// Calls `write` without the GIL; its error becomes a Python exception.
template <auto write>
void WriteBy(const std::string& path, const nb::bytes& content, bool durable) {
  Result<void> written;
  {
    const Unlocked unlocked;
    written = write(path, ViewOf(content), durable);
  }
  Unwrap(std::move(written));
}

// Adds one point of `tag` per element: float64 values, int64 steps, float64 times or None for the
// current time.
void AddScalarBatch(Run& self, const std::string& tag, nb::handle values, nb::handle steps,
                    nb::handle wall_times) {
  const TensorArg numbers(values);
  const TensorArg counts(steps);
  std::optional<TensorArg> times;
  if (!wall_times.is_none()) times.emplace(wall_times);
  const std::size_t size = numbers.view().element_count();
  if (numbers.view().dtype != DType::kFloat64 || counts.view().dtype != DType::kInt64 ||
      (times && times->view().dtype != DType::kFloat64)) {
    throw nb::type_error("values and wall times must be float64, steps must be int64");
  }
  if (counts.view().element_count() != size || (times && times->view().element_count() != size)) {
    throw nb::value_error("there must be as many steps and wall times as values");
  }
  self.Do([&](SummaryWriter&) {
    const auto* value = static_cast<const double*>(numbers.view().data);
    const auto* step = static_cast<const std::int64_t*>(counts.view().data);
    const auto* time = times ? static_cast<const double*>(times->view().data) : nullptr;
    const double now = WallTimeSeconds();
    Result<void> added;
    for (std::size_t i = 0; added && i < size; ++i) {
      added = self.AddScalar(tag, value[i], step[i], time != nullptr ? time[i] : now);
    }
    return added;
  });
}

void AddHistogram(Run& self, const std::string& tag, nb::handle values, const Bins& bins,
                  std::size_t max_bins, std::optional<std::int64_t> step,
                  std::optional<double> wall_time) {
  const TensorArg tensor(values);
  const tensor::Binning binning = Unwrap(BinningOf(bins));
  self.Do([&](SummaryWriter& writer) {
    return writer.AddHistogram(tag, tensor.view(), writer::At(step, wall_time), binning, max_bins);
  });
}

void MakeRun(Run* self, const std::string& directory, const std::string& comment,
             std::optional<std::int64_t> purge_step, std::size_t max_queue, double flush_secs,
             const std::string& filename_suffix, bool durable, nb::object sink) {
  WriterOptions options;
  options.comment = comment;
  options.purge_step = purge_step;
  options.max_queue = max_queue;
  options.flush_secs = flush_secs;
  options.filename_suffix = filename_suffix;
  options.durable = durable;
  {
    const Unlocked unlocked;
    new (self) Run(directory, std::move(options), std::move(sink));
  }
  try {
    self->Do([](SummaryWriter& writer) { return writer.status(); });
  } catch (...) {
    self->~Run();  // If __init__ fails, Python does not call the destructor.
    throw;
  }
}

}  // namespace

Run::Run(const std::string& directory, WriterOptions options, nb::object sink)
    : sink_(std::move(sink)), writer_(directory, WithSink(std::move(options))) {}

Run::~Run() {
  const Unlocked unlocked;
  static_cast<void>(writer_.Close());
}

WriterOptions Run::WithSink(WriterOptions options) {
  if (!sink_.is_none()) {
    // This function must not hold a Python object, because the library copies it without the GIL.
    options.event_sink = [this](const std::filesystem::path& run, std::string_view event) {
      return PassOn(run, event);
    };
  }
  return options;
}

Result<void> Run::PassOn(const std::filesystem::path& run, std::string_view event) {
  const nb::gil_scoped_acquire locked;
  try {
    sink_(run.string(), ToBytes(event));
    return {};
  } catch (const nb::python_error& error) {
    raised_ = std::current_exception();  // Raised again when the call returns to Python.
    return Fail(ErrorCode::kInternal, error.what());
  }
}

void BindRun(nb::module_& module) {
  using Step = std::optional<std::int64_t>;
  using Time = std::optional<double>;
  nb::class_<Run>(module, "Run")
      .def("__init__", MakeRun, nb::arg("directory"), nb::arg("comment") = "",
           nb::arg("purge_step") = nb::none(), nb::arg("max_queue") = 10,
           nb::arg("flush_secs") = 120.0, nb::arg("filename_suffix") = "",
           nb::arg("durable") = false, nb::arg("sink") = nb::none())
      .def("add_event",
           [](Run& self, const nb::bytes& event) {
             self.Do([&](SummaryWriter& writer) { return writer.AddEvent(ViewOf(event)); });
           })
      .def(
          "add_summary",
          [](Run& self, const nb::bytes& summary, Step step, Time time) {
            self.Do([&](SummaryWriter& writer) {
              return writer.AddSummary(ViewOf(summary), writer::At(step, time));
            });
          },
          nb::arg("summary"), nb::arg("step").none(), nb::arg("wall_time").none())
      .def("add_scalar_batch", AddScalarBatch, nb::arg("tag"), nb::arg("values"), nb::arg("steps"),
           nb::arg("wall_times").none())
      .def("add_histogram", AddHistogram, nb::arg("tag"), nb::arg("values"), nb::arg("bins"),
           nb::arg("max_bins"), nb::arg("step").none(), nb::arg("wall_time").none())
      .def(
          "add_scalars",
          [](Run& self, const std::string& main_tag, const std::map<std::string, double>& values,
             Step step, Time time) {
            self.Do([&](SummaryWriter& writer) {
              return writer.AddScalars(main_tag, values, writer::At(step, time));
            });
          },
          nb::arg("main_tag"), nb::arg("values"), nb::arg("step").none(),
          nb::arg("wall_time").none())
      .def(
          "add_hparams",
          [](Run& self, const std::vector<HParamPair>& hparams,
             const std::vector<std::pair<std::string, double>>& metrics, const std::string& name,
             Step step) {
            const auto chosen = HParamsOf(hparams);
            self.Do([&](SummaryWriter& writer) {
              return writer.AddHParams(chosen, metrics, name, writer::At(step, {}));
            });
          },
          nb::arg("hparams"), nb::arg("metrics"), nb::arg("name"), nb::arg("step").none())
      .def("grouped_scalars_json", [](Run& self) { return self.writer().GroupedScalarsJson(); })
      .def("export_scalars_to_json",
           [](Run& self, const std::string& path) {
             self.Do([&](SummaryWriter& writer) { return writer.ExportScalarsToJson(path); });
           })
      .def("flush",
           [](Run& self) { self.Do([](SummaryWriter& writer) { return writer.Flush(); }); })
      .def("close",
           [](Run& self) { self.Do([](SummaryWriter& writer) { return writer.Close(); }); })
      .def_prop_ro("directory", [](Run& self) { return self.writer().directory().string(); })
      .def_prop_ro(
          "event_file",
          [](Run& self) {
            return self.Do([](SummaryWriter& writer) { return writer.event_file(); }).string();
          })
      .def_rw("direct", &Run::direct);

  module.def("write_file", WriteBy<writer::WriteRunFile>, nb::arg("path"), nb::arg("content"),
             nb::arg("durable") = false);
  module.def("append_to_file", WriteBy<writer::AppendToRunFile>, nb::arg("path"),
             nb::arg("content"), nb::arg("durable") = false);
  module.def("crc32c",
             [](const nb::bytes& bytes) { return record::ComputeCrc32c(AsBytes(ViewOf(bytes))); });
  module.def("masked_crc32c", [](const nb::bytes& bytes) {
    return record::ToInteger(record::ComputeMaskedCrc(AsBytes(ViewOf(bytes))));
  });
  module.def("record", [](const nb::bytes& payload) {
    std::string record;
    record::AppendRecord(AsBytes(ViewOf(payload)), record);
    return ToBytes(record);
  });
  module.def("stored_tag", CheckedTag<writer::summary::StoredTag>);
  module.def("clean_tag", CheckedTag<writer::summary::CleanStoredTag>);
}

}  // namespace cboard::python
