// Describes the machine that a benchmark runs on, and detects disturbances of a measurement.
//
//   const PinnedThreads pinned = PinnedThreads::ToIdleCpus(options.threads, {});
//   const MachineWatch watch({}, pinned.cpus());
//   Measure();
//   watch.Disturbances();  // {"other programs used 37 % of the CPUs …"}
#pragma once

#include <sched.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cboard::benchmark {

// Directories of the kernel's files (/proc, /sys); tests use their own directories.
struct MachineRoots {
  std::filesystem::path proc = "/proc";
  std::filesystem::path sys = "/sys";
};

struct MachineInfo {
  std::string cpu;              // "AMD EPYC 7763 64-Core Processor"; empty if unknown.
  std::string architecture;     // "x86_64"
  std::string instruction_set;  // The best of "avx2", "avx512", "avx512_vnni", "amx_int8", …
  // True if the CPU has instructions for INT8 dot products: VNNI, AMX, or the equivalent of ARM.
  bool has_int8_dot = false;
  std::size_t cpu_count = 0;
  std::string kernel;
  std::string governor;  // "" if unknown.
};

MachineInfo DescribeMachine(const MachineRoots& roots = {});

// Pins the calling thread, and the threads that it starts, to a fixed set of CPUs. The destructor
// restores the previous set.
class PinnedThreads {
 public:
  // Pins to the `count` CPUs that were the least busy recently. Uses all allowed CPUs if `count` is
  // 0 or larger than their number.
  static PinnedThreads ToIdleCpus(int count, const MachineRoots& roots = {});

  PinnedThreads(PinnedThreads&& other) noexcept;
  PinnedThreads& operator=(PinnedThreads&&) = delete;
  ~PinnedThreads();  // Restores the previous set of CPUs.

  // The pinned CPUs; empty if the operating system refused to pin the thread.
  const std::vector<int>& cpus() const { return cpus_; }

 private:
  PinnedThreads() = default;

  std::vector<int> cpus_;
  std::optional<cpu_set_t> former_;
};

// Detects disturbances by comparing the state of the machine at the start and end of a measurement.
class MachineWatch {
 public:
  // Starts the comparison. `cpus` are the CPUs that the measurement uses; empty means all CPUs.
  explicit MachineWatch(MachineRoots roots = {}, std::vector<int> cpus = {});

  // Returns the disturbances since the start of the measurement, as sentences: load, CPU time that
  // the hypervisor took (steal), a changed frequency, thermal throttling. Empty if there were none.
  std::vector<std::string> Disturbances() const;

 private:
  struct CpuTicks {
    std::uint64_t busy = 0;
    std::uint64_t stolen = 0;
    std::uint64_t total = 0;
  };
  struct State {
    CpuTicks watched;                        // Ticks of the measured CPUs.
    std::uint64_t own_ticks = 0;             // Ticks of this process.
    std::map<int, std::uint64_t> throttles;  // By CPU.
    std::map<int, double> frequencies_khz;   // By CPU.
  };
  State Read() const;

  MachineRoots roots_;
  std::vector<int> cpus_;
  State begin_;
};

}  // namespace cboard::benchmark
