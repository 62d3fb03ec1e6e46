// A program that runs until it ends, or until its time is over.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cboard/base/result.h"

namespace cboard::benchmark {

struct ProcessEnd {
  int exit_code = 0;   // 128 + signal when a signal ended it.
  std::string output;  // The end of standard output, at most kMaxOutputBytes.
  std::string errors;  // The end of standard error.
};

inline constexpr std::size_t kMaxOutputBytes = 1 << 20;

// Runs `command`, looked up in PATH, in a process group of its own. Its standard input is empty.
// Fails with kNotFound when there is no such program, and with kUnavailable when it runs longer
// than `max_seconds`, or `stop_requested` returns true; then the whole group is killed.
Result<ProcessEnd> RunProcess(const std::vector<std::string>& command, double max_seconds,
                              const std::function<bool()>& stop_requested = nullptr);

}  // namespace cboard::benchmark
