// Shows the progress of a long task: on a terminal as one line that changes, in a log file as a
// line from time to time.
//
//   Progress progress("reading runs", std::cerr, IsTerminal(STDERR_FILENO));
//   progress.Update(done, total);
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <string>

namespace cboard::cli {

// Returns true if `descriptor` is a terminal whose lines may be rewritten. False for a terminal
// with TERM=dumb.
bool IsTerminal(int descriptor);

enum class ProgressUnit { kBytes, kItems };

// Shows the progress of a task. Shows nothing at first, so that short tasks print no progress. Not
// thread-safe.
class Progress {
 public:
  using Now = std::function<std::chrono::steady_clock::time_point()>;

  // Borrows `out`, which must outlive this object.
  Progress(std::string task, std::ostream& out, bool is_terminal,
           ProgressUnit unit = ProgressUnit::kBytes, Now now = std::chrono::steady_clock::now);
  ~Progress();  // Clears the line.
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Shows the progress; a total of 0 means unknown. From the second call on, the remaining time is
  // shown.
  void Update(std::uint64_t done, std::uint64_t total);

  // Shows a text for a task that has no count: "measuring latency: 42 s left".
  void Show(const std::string& text);

  // Clears the line, so that results may be printed.
  void Clear();

 private:
  std::string task_;
  std::ostream& out_;
  bool is_terminal_;
  ProgressUnit unit_;
  Now now_;
  std::chrono::steady_clock::time_point next_;
  struct Start {
    std::chrono::steady_clock::time_point time;
    std::uint64_t done;
  };
  std::optional<Start> first_;  // Time and count at the first update.
  std::size_t shown_width_ = 0;
};

}  // namespace cboard::cli
