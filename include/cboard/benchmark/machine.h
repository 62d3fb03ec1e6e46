// The machine that a benchmark runs on: what it is, and what disturbs a measurement there.
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

// Where the kernel's files are; tests use directories of their own.
struct MachineRoots {
  std::filesystem::path proc = "/proc";
  std::filesystem::path sys = "/sys";
};

struct MachineInfo {
  std::string cpu;              // "AMD EPYC 7763 64-Core Processor"; empty if unknown.
  std::string architecture;     // "x86_64"
  std::string instruction_set;  // The most of: "avx2", "avx512", "avx512_vnni", "amx_int8", …
  bool has_int8_dot = false;    // VNNI, AMX, or the dot product of ARM: one instruction for INT8.
  std::size_t cpu_count = 0;
  std::string kernel;
  std::string governor;  // "" if the machine does not tell.
};

MachineInfo DescribeMachine(const MachineRoots& roots = {});

// Lets the calling thread, and the threads that it starts, run on a fixed set of CPUs, until it is
// destroyed.
class PinnedThreads {
 public:
  // On the `count` CPUs that were the least busy in the last moments. All allowed CPUs if `count`
  // is 0 or more than there are.
  static PinnedThreads ToIdleCpus(int count, const MachineRoots& roots = {});

  PinnedThreads(PinnedThreads&& other) noexcept;
  PinnedThreads& operator=(PinnedThreads&&) = delete;
  ~PinnedThreads();  // As before.

  // Empty if the system refused.
  const std::vector<int>& cpus() const { return cpus_; }

 private:
  PinnedThreads() = default;

  std::vector<int> cpus_;
  std::optional<cpu_set_t> former_;
};

// Compares the machine at the end of a measurement with its beginning.
class MachineWatch {
 public:
  // Begins. `cpus` are those that the measurement runs on; all if empty.
  explicit MachineWatch(MachineRoots roots = {}, std::vector<int> cpus = {});

  // Disturbances since the start of the measurement, as sentences: load, stolen time, a changed
  // frequency, thermal throttling. Empty on a quiet machine.
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
