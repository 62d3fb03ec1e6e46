// Runs a program until it ends or reaches a time limit.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cboard/base/result.h"

namespace cboard::benchmark {

struct ProcessEnd {
  int exit_code = 0;   // 128 + signal number if a signal ended the program.
  std::string output;  // The last kMaxOutputBytes of standard output.
  std::string errors;  // The last part of standard error.
};

inline constexpr std::size_t kMaxOutputBytes = 1 << 20;

// Runs `command`, looked up in PATH, in its own process group and with an empty standard input.
// Fails with kNotFound if the program does not exist. Kills the process group and fails with
// kUnavailable if the program runs longer than `max_seconds` or `stop_requested` returns true.
Result<ProcessEnd> RunProcess(const std::vector<std::string>& command, double max_seconds,
                              const std::function<bool()>& stop_requested = nullptr);

}  // namespace cboard::benchmark
