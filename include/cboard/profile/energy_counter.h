// Reads how much energy the machine has used, from the counters of the kernel's powercap framework.
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
  // Creates a counter. `sys` is the directory with the kernel's files: "/sys", or a directory of a
  // test.
  explicit EnergyCounter(const std::filesystem::path& sys = "/sys");
  ~EnergyCounter();
  EnergyCounter(EnergyCounter&&) noexcept;
  EnergyCounter& operator=(EnergyCounter&&) noexcept;

  // Returns the energy of all processor packages and their memory since this object was created, in
  // joules. If only the whole platform is measured, returns its energy. Call it at least once a
  // minute, because the kernel's counters wrap around. Returns nullopt if a counter cannot be read
  // or was reset.
  std::optional<double> Joules();

  // Returns the names of the measured parts: "package-0, dram".
  const std::string& source() const;

  // Returns the reason why no energy is measured, and what to do. Empty if some energy is measured.
  const std::string& why_not() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cboard::profile
