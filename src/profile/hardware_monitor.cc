#include "cboard/profile/hardware_monitor.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <thread>

#include "cboard/proto/summary.h"
#include "profile/metric_accumulator.h"
#include "profile/sampler.h"

namespace cboard::profile {
namespace {

using Seconds = std::chrono::duration<double>;
using SteadyTime = std::chrono::steady_clock::time_point;

double ClampInterval(double seconds) {
  return std::isnan(seconds) ? 1.0 : std::clamp(seconds, 0.01, 3600.0);
}

std::vector<std::unique_ptr<Sampler>> MakeSamplers(const HardwareMonitorOptions& options) {
  std::vector<std::unique_ptr<Sampler>> samplers;
  samplers.push_back(MakeCpuSampler(options.proc_root));
  samplers.push_back(MakeMemorySampler(options.proc_root));
  samplers.push_back(
      MakeProcessSampler(options.proc_root, options.pid != 0 ? options.pid : ::getpid()));
  samplers.push_back(MakeDiskSampler(options.proc_root));
  samplers.push_back(MakeNetworkSampler(options.proc_root));
  samplers.push_back(MakePowerSampler(options.sys_root));
  samplers.push_back(MakeTemperatureSampler(options.sys_root));
  samplers.push_back(MakeGpuSampler(options.nvml_library));
  std::erase(samplers, nullptr);
  return samplers;
}

bool IsSingleCore(std::string_view name) { return name.starts_with("cpu/core_"); }

}  // namespace

const MetricSummary* HardwareSummary::Find(std::string_view name) const {
  const auto found = std::ranges::find(metrics, name, &MetricSummary::name);
  return found == metrics.end() ? nullptr : &*found;
}

class HardwareMonitor::Impl {
 public:
  Impl(SummaryWriter& writer, HardwareMonitorOptions options)
      : writer_(writer), options_(std::move(options)) {
    options_.interval_seconds = ClampInterval(options_.interval_seconds);
    prefix_ = options_.tag_prefix.empty() ? "" : options_.tag_prefix + "/";
  }

  Result<void> Start() {
    if (thread_.joinable()) {
      return Fail(ErrorCode::kFailedPrecondition, "the hardware monitor is already running");
    }
    stop_requested_ = false;
    try {
      samplers_ = MakeSamplers(options_);
      LogDeviceNames();
      former_time_.reset();
      start_ = std::chrono::steady_clock::now();
      TakeSample();  // Taken here, so that the curves begin at the time of the call.
      thread_ = std::thread([this] { Run(); });
    } catch (const std::exception& error) {
      return Fail(ErrorCode::kResourceExhausted,
                  std::string("cannot start the hardware monitor: ") + error.what());
    }
    return {};
  }

  HardwareSummary Stop() {
    if (!thread_.joinable()) return summary_;
    {
      const std::lock_guard lock(mutex_);
      stop_requested_ = true;
    }
    wake_.notify_one();
    thread_.join();
    return summary_;
  }

 private:
  // All functions from here on run in the sampling thread.
  void Run() {
    try {
      SampleUntilStopped();
      Summarize();
    } catch (const std::exception&) {
      // If memory is exhausted, no more samples are logged, but the monitored program continues.
    }
  }

  void SampleUntilStopped() {
    const auto interval = std::chrono::duration_cast<std::chrono::steady_clock::duration>(
        Seconds(options_.interval_seconds));
    SteadyTime next = start_;
    while (true) {
      // Skips samples that are already late, because the machine was asleep or overloaded.
      const SteadyTime now = std::chrono::steady_clock::now();
      do next += interval;
      while (next <= now);
      {
        std::unique_lock lock(mutex_);
        if (wake_.wait_until(lock, next, [this] { return stop_requested_; })) break;
      }
      TakeSample();
    }
    // Takes a last sample, unless the time since the previous one is too short to measure a rate.
    constexpr Seconds kShortest(0.05);
    const Seconds rest = std::chrono::steady_clock::now() - *former_time_;
    if (rest >= std::min(kShortest, Seconds(options_.interval_seconds))) TakeSample();
    duration_seconds_ += Seconds(std::chrono::steady_clock::now() - start_).count();
  }

  void TakeSample() {
    const SteadyTime now = std::chrono::steady_clock::now();
    const double elapsed = former_time_ ? Seconds(now - *former_time_).count() : 0;
    former_time_ = now;

    std::vector<Reading> readings;
    for (const auto& sampler : samplers_) {
      sampler->Sample(Seconds(now.time_since_epoch()).count(), readings);
    }
    std::string values;
    for (const Reading& reading : readings) {
      metrics_[reading.name].Add(reading.value, elapsed);
      proto::AppendScalarValue(prefix_ + reading.name, static_cast<float>(reading.value), {},
                               values);
    }
    // Writes one event with all values, because they were measured at the same time. If the event
    // cannot be written, it is dropped.
    if (!values.empty()) static_cast<void>(writer_.AddSummary(values, sample_count_));
    ++sample_count_;
  }

  void LogDeviceNames() {
    std::string text;
    for (const auto& sampler : samplers_) {
      for (const std::string& name : sampler->DeviceNames()) text += "* " + name + "\n";
    }
    if (!text.empty()) static_cast<void>(writer_.AddText(prefix_ + "devices", text, sample_count_));
  }

  void Summarize() {
    HardwareSummary summary{.duration_seconds = duration_seconds_,
                            .sample_count = static_cast<std::size_t>(sample_count_),
                            .metrics = {}};
    std::string values;
    const auto append = [&](const std::string& name, double value) {
      proto::AppendScalarValue(prefix_ + "summary/" + name, static_cast<float>(value), {}, values);
    };
    for (const auto& [name, accumulator] : metrics_) {
      const MetricSummary metric = accumulator.Summarize(name);
      summary.metrics.push_back(metric);
      if (IsSingleCore(name)) continue;
      append(name + "_mean", metric.mean);
      append(name + "_max", metric.max);
      append(name + "_p95", metric.p95);
      if (metric.energy_j) append(name.substr(0, name.size() - 2) + "_energy_j", *metric.energy_j);
    }
    if (!values.empty()) static_cast<void>(writer_.AddSummary(values, sample_count_));
    summary_ = std::move(summary);
  }

  SummaryWriter& writer_;
  HardwareMonitorOptions options_;
  std::string prefix_;

  std::thread thread_;
  std::mutex mutex_;  // Guards stop_requested_.
  std::condition_variable wake_;
  bool stop_requested_ = false;

  std::vector<std::unique_ptr<Sampler>> samplers_;
  SteadyTime start_;
  std::optional<SteadyTime> former_time_;
  std::int64_t sample_count_ = 0;
  double duration_seconds_ = 0;
  std::map<std::string, MetricAccumulator> metrics_;
  HardwareSummary summary_;
};

HardwareMonitor::HardwareMonitor(SummaryWriter& writer, HardwareMonitorOptions options)
    : impl_(std::make_unique<Impl>(writer, std::move(options))) {}

HardwareMonitor::~HardwareMonitor() { impl_->Stop(); }

Result<void> HardwareMonitor::Start() { return impl_->Start(); }

HardwareSummary HardwareMonitor::Stop() { return impl_->Stop(); }

}  // namespace cboard::profile
