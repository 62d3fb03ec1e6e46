// Reads the times of each CPU from <proc>/stat.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>

namespace cboard::benchmark {

struct CpuTimes {
  std::uint64_t busy = 0;    // Time of programs and the kernel, without stolen time.
  std::uint64_t stolen = 0;  // Time in which the hypervisor ran other machines.
  std::uint64_t total = 0;
};

// Returns the times by CPU number; empty if the file cannot be read.
std::map<int, CpuTimes> ReadCpuTimes(const std::filesystem::path& proc);

}  // namespace cboard::benchmark
