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
// Threads that start during this time also block them.
class SignalGate {
 public:
  SignalGate();
  ~SignalGate();  // Restores the signal mask.
  SignalGate(const SignalGate&) = delete;
  SignalGate& operator=(const SignalGate&) = delete;

  const sigset_t& held() const { return held_; }
  const sigset_t& former() const { return former_; }

 private:
  sigset_t held_;
  sigset_t former_;
};

struct ChildExit {
  int exit_code = 0;          // 128 + signal if a signal ended the process.
  std::optional<int> signal;  // The signal that ended the process.

  double wall_seconds = 0;  // Measured from just before the start.

  // Resources of the command and of its awaited child processes, as counted by the kernel.
  double cpu_seconds = 0;
  double peak_rss_mb = 0;  // Largest resident set size of any process.
};

class ChildProcess {
 public:
  // Checks whether Start() would find `program`, and fails like Start(). Use it to avoid long work
  // before a start that must fail.
  static Result<void> Find(const std::string& program);

  // Starts `command`. The program is searched in PATH. Fails with kNotFound or kPermissionDenied if
  // the program is missing or not executable. Borrows `gate`.
  static Result<ChildProcess> Start(const std::vector<std::string>& command,
                                    const SignalGate& gate);

  pid_t pid() const { return pid_; }

  // Waits until the command has ended. Passes on signals that are sent to this process; signals of
  // the terminal (Ctrl-C) reach the command directly.
  ChildExit Wait();

 private:
  using SteadyTime = std::chrono::steady_clock::time_point;
  ChildProcess(pid_t pid, SteadyTime start, const SignalGate& gate)
      : pid_(pid), start_(start), gate_(&gate) {}

  pid_t pid_;
  SteadyTime start_;
  const SignalGate* gate_;
};

// Ends this process by `signal`. A shell or make then sees the same result as if the command had
// run directly. Returns only if the signal does not end processes.
void EndBySignal(int signal);

// Stores the terminal settings of standard input, and restores them on request. This is needed
// because a program that is killed during a password prompt leaves the terminal without echo.
class TerminalState {
 public:
  TerminalState();
  void Restore();

 private:
  std::optional<termios> saved_;  // Empty if standard input is not a terminal.
};

}  // namespace cboard::cli
