// Python bindings for HardwareMonitor. The monitor has its own writer.
#include <nanobind/stl/optional.h>

#include "bindings.h"
#include "cboard/profile/hardware_monitor.h"
#include "errors.h"
#include "text.h"
#include "unlocked.h"

namespace nb = nanobind;

namespace cboard::python {
namespace {

class Monitor {
 public:
  Monitor(const std::string& directory, double interval_seconds, int pid,
          const std::string& tag_prefix)
      : writer_(directory), monitor_(writer_, OptionsOf(interval_seconds, pid, tag_prefix)) {
    Unwrap(writer_.status());
  }

  void Start() {
    Result<void> started;
    {
      const Unlocked unlocked;
      started = monitor_.Start();
    }
    Unwrap(std::move(started));
  }

  // Returns {"duration_seconds": …, "sample_count": …, "metrics": {name: {"mean": …, …}}}.
  nb::dict Stop() {
    profile::HardwareSummary summary;
    Result<void> flushed;
    {
      const Unlocked unlocked;
      summary = monitor_.Stop();
      flushed = writer_.Flush();
    }
    Unwrap(std::move(flushed));
    nb::dict metrics;
    for (const profile::MetricSummary& metric : summary.metrics) {
      nb::dict figures;
      figures["sample_count"] = metric.sample_count;
      figures["mean"] = metric.mean;
      figures["max"] = metric.max;
      figures["p95"] = metric.p95;
      if (metric.energy_j) figures["energy_j"] = *metric.energy_j;
      metrics[metric.name.c_str()] = figures;
    }
    nb::dict result;
    result["duration_seconds"] = summary.duration_seconds;
    result["sample_count"] = summary.sample_count;
    result["metrics"] = metrics;
    return result;
  }

 private:
  static profile::HardwareMonitorOptions OptionsOf(double interval_seconds, int pid,
                                                   const std::string& tag_prefix) {
    profile::HardwareMonitorOptions options;
    options.interval_seconds = interval_seconds;
    options.pid = pid;
    options.tag_prefix = tag_prefix;
    return options;
  }

  SummaryWriter writer_;
  HardwareMonitor monitor_;
};

}  // namespace

void BindHardware(nb::module_& module) {
  nb::class_<Monitor>(module, "HardwareMonitor")
      .def(nb::init<const std::string&, double, int, const std::string&>())
      .def("start", &Monitor::Start)
      .def("stop", &Monitor::Stop);
}

}  // namespace cboard::python
