// The energy that the machine has used, from the counters of the kernel's powercap framework.
//
//   EnergyCounter counter("/sys");
//   Run();
//   counter.Joules();  // Since the counter was made; nothing where the machine does not count.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace cboard::profile {

// Not thread-safe.
class EnergyCounter {
 public:
  // `sys` is where the kernel's files are: "/sys", or a directory of a test.
  explicit EnergyCounter(const std::filesystem::path& sys = "/sys");
  ~EnergyCounter();
  EnergyCounter(EnergyCounter&&) noexcept;
  EnergyCounter& operator=(EnergyCounter&&) noexcept;

  // Joules of all packages and their memory since the counter was made; of the platform where only
  // that is counted. Counters start again at 0 now and then: call this at least once a minute, so
  // that no round is missed. Nothing if a counter cannot be read or was reset.
  std::optional<double> Joules();

  // The counted parts: "package-0, dram".
  const std::string& source() const;

  // Why nothing is counted, and what to do; empty if something is.
  const std::string& why_not() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cboard::profile
