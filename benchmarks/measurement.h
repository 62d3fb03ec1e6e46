// Measures the cost of a part of the work for this process: wall time, processor time of all
// threads, memory.
//
//   Measurement measurement;
//   …                          // the work
//   measurement.Print(events, bytes);
//   // {"count":…,"bytes":…,"wall_seconds":…,"cpu_seconds":…,"peak_rss_bytes":…}
#pragma once

#include <sys/resource.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>

#include "cboard/base/json_writer.h"

namespace cboard::bench {

class Measurement {
 public:
  Measurement() : wall_start_(std::chrono::steady_clock::now()), cpu_start_(CpuSeconds()) {}

  // Ends the measurement at its first call. `bytes` is the size of the output of the work.
  void Stop() {
    if (wall_seconds_ >= 0) return;
    cpu_seconds_ = CpuSeconds() - cpu_start_;
    wall_seconds_ =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - wall_start_).count();
  }

  double wall_seconds() const { return wall_seconds_; }
  double cpu_seconds() const { return cpu_seconds_; }

  void Print(std::uint64_t count, std::uint64_t bytes) {
    Stop();
    JsonWriter json;
    json.BeginObject().Key("count").Value(count).Key("bytes").Value(bytes);
    json.Key("wall_seconds").Value(wall_seconds_).Key("cpu_seconds").Value(cpu_seconds_);
    json.Key("peak_rss_bytes").Value(PeakRssBytes()).EndObject();
    std::puts(json.text().c_str());
  }

  // Reads /proc instead of getrusage, which would include the memory of the parent process.
  static std::uint64_t PeakRssBytes() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("VmHWM:")) return std::stoull(line.substr(6)) * 1024;
    }
    return 0;
  }

 private:
  static double CpuSeconds() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
  }

  std::chrono::steady_clock::time_point wall_start_;
  double cpu_start_;
  double wall_seconds_ = -1;
  double cpu_seconds_ = 0;
};

// Returns the size of all files below `directory`.
inline std::uint64_t BytesBelow(const std::filesystem::path& directory) {
  std::uint64_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  return bytes;
}

// Parses flags after the subcommand: `--name value` pairs and switches without a value.
class Flags {
 public:
  Flags(int argc, char** argv) {
    for (int i = 2; i < argc; ++i) {
      const std::string name = argv[i];
      const bool has_value = i + 1 < argc && !std::string_view(argv[i + 1]).starts_with("--");
      values_[name] = has_value ? argv[++i] : "";
    }
  }

  bool Has(const std::string& name) const { return values_.contains(name); }

  std::string Text(const std::string& name) const {
    const auto found = values_.find(name);
    if (found == values_.end() || found->second.empty()) Stop("missing " + name);
    return found->second;
  }

  std::int64_t Count(const std::string& name) const {
    const std::string text = Text(name);
    char* end = nullptr;
    const long long count = std::strtoll(text.c_str(), &end, 10);
    if (*end != '\0' || count <= 0) Stop(name + " must be a positive number, not " + text);
    return count;
  }

  [[noreturn]] static void Stop(const std::string& reason) {
    std::fprintf(stderr, "%s\n", reason.c_str());
    std::exit(1);
  }

 private:
  std::map<std::string, std::string> values_;
};

}  // namespace cboard::bench
