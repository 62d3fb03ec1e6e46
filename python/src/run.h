// The library's SummaryWriter as a Python object.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

#include "cboard/writer/summary_writer.h"

namespace cboard::python {

// A run with its sub-runs. `sink` is None, or a function (run directory, serialized Event) that
// receives every event instead of a file.
class Run {
 public:
  // Opens the run. Can be called without the GIL. writer().status() has the error, if any.
  Run(const std::string& directory, WriterOptions options, nanobind::object sink);
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  // Logs a scalar. Can be called without the GIL.
  Result<void> AddScalar(std::string_view tag, double value, std::int64_t step,
                         double wall_time_seconds) {
    return writer_.AddScalar(tag, value, writer::At(step, wall_time_seconds));
  }

  // Runs `call(writer)` without the GIL; an error becomes a Python exception.
  template <typename Call>
  auto Do(Call call);

  SummaryWriter& writer() { return writer_; }

  // True if add_scalar may write scalars without calling Python: no use_metadata block is open, and
  // the FileWriter of the run is not closed.
  bool direct = true;

 private:
  WriterOptions WithSink(WriterOptions options);
  Result<void> PassOn(const std::filesystem::path& run, std::string_view event);

  nanobind::object sink_;
  std::exception_ptr raised_;  // Exception of the sink during the current call.
  SummaryWriter writer_;
};

void BindRun(nanobind::module_& module);

}  // namespace cboard::python
