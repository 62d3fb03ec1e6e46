// Runs a command in the foreground, as a shell would: same terminal, same signals, same exit code.
//
//   SignalGate gate;  // Before any thread is started.
//   CBOARD_ASSIGN_OR_RETURN(ChildProcess child, ChildProcess::Start({"make", "test"}, gate));
//   const ChildExit exit = child.Wait();
#pragma once

#include <signal.h>
#include <sys/types.h>
#include <termios.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "cboard/base/result.h"

namespace cboard::cli {

// Blocks the signals that ask a program to end, so that they can be passed on to a child process.
// Threads started meanwhile block them too.
class SignalGate {
 public:
  SignalGate();
  ~SignalGate();  // As before.
  SignalGate(const SignalGate&) = delete;
  SignalGate& operator=(const SignalGate&) = delete;

  const sigset_t& held() const { return held_; }
  const sigset_t& former() const { return former_; }

 private:
  sigset_t held_;
  sigset_t former_;
};

struct ChildExit {
  int exit_code = 0;          // 128 + signal when a signal ended it.
  std::optional<int> signal;  // Which one.

  double wall_seconds = 0;  // From just before the start.

  // Resources of the command and of its awaited children, as counted by the kernel.
  double cpu_seconds = 0;
  double peak_rss_mb = 0;  // Largest resident set of any process.
};

class ChildProcess {
 public:
  // Checks whether Start would find `program`; fails as Start does. For work that should not begin
  // in vain.
  static Result<void> Find(const std::string& program);

  // Starts `command`, looked up in PATH. Fails with kNotFound or kPermissionDenied when there is
  // no such program. Borrows `gate`.
  static Result<ChildProcess> Start(const std::vector<std::string>& command,
                                    const SignalGate& gate);

  pid_t pid() const { return pid_; }

  // Returns when the command has ended. Signals sent to this process are passed on; signals of the
  // terminal (Ctrl-C) reach the command directly.
  ChildExit Wait();

 private:
  using SteadyTime = std::chrono::steady_clock::time_point;
  ChildProcess(pid_t pid, SteadyTime start, const SignalGate& gate)
      : pid_(pid), start_(start), gate_(&gate) {}

  pid_t pid_;
  SteadyTime start_;
  const SignalGate* gate_;
};

// Ends this process by `signal`, so that a shell or make sees the same end as without this program.
// Returns only if the signal does not end processes.
void EndBySignal(int signal);

// Restores the terminal of standard input on request: a program that is killed during a password
// prompt leaves it without echo.
class TerminalState {
 public:
  TerminalState();
  void Restore();

 private:
  std::optional<termios> saved_;  // Nothing when standard input is no terminal.
};

}  // namespace cboard::cli
