// Reads the energy that the machine has used, from the counters of the kernel's powercap framework.
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

// Counts the energy of this machine. This class is not thread-safe.
class EnergyCounter {
 public:
  // `sys` is the directory of the kernel's files: "/sys", or a directory of a test.
  explicit EnergyCounter(const std::filesystem::path& sys = "/sys");
  ~EnergyCounter();
  EnergyCounter(EnergyCounter&&) noexcept;
  EnergyCounter& operator=(EnergyCounter&&) noexcept;

  // Returns the energy of all packages and their memory since the counter was constructed, in
  // joules; the energy of the whole platform if only that is counted. The kernel's counters wrap
  // around, so call this at least once a minute. Returns nullopt if a counter cannot be read or was
  // reset.
  std::optional<double> Joules();

  // Names of the counted parts: "package-0, dram".
  const std::string& source() const;

  // Why no energy is counted, and what to do; empty if some is counted.
  const std::string& why_not() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cboard::profile
