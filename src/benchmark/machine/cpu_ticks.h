// The times of <proc>/stat, by CPU.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>

namespace cboard::benchmark {

struct CpuTimes {
  std::uint64_t busy = 0;    // Programs and kernel, without stolen time.
  std::uint64_t stolen = 0;  // Time in which the hypervisor ran another machine.
  std::uint64_t total = 0;
};

// By the number of the CPU; empty if the file cannot be read.
std::map<int, CpuTimes> ReadCpuTimes(const std::filesystem::path& proc);

}  // namespace cboard::benchmark
