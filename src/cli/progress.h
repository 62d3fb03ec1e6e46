// How far a long task is: a line that keeps changing on a terminal, a line now and then in a log.
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

// Whether lines may be rewritten on `descriptor`: a terminal that is not TERM=dumb.
bool IsTerminal(int descriptor);

enum class ProgressUnit { kBytes, kItems };

// Silent for the first moments, so that short tasks show nothing. Not thread-safe.
class Progress {
 public:
  using Now = std::function<std::chrono::steady_clock::time_point()>;

  // Borrows `out`, which must outlive it.
  Progress(std::string task, std::ostream& out, bool is_terminal,
           ProgressUnit unit = ProgressUnit::kBytes, Now now = std::chrono::steady_clock::now);
  ~Progress();  // Clears the line.
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // A total of 0 is not known.
  void Update(std::uint64_t done, std::uint64_t total);

  // The same for a task that is not counted: "measuring latency: 42 s left".
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
  std::size_t shown_width_ = 0;
};

}  // namespace cboard::cli
