#include "cli/child_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "cboard/base/strings.h"

namespace cboard::cli {
namespace {

constexpr int kForwarded[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

// Runs in the child process, where only async-signal-safe calls are allowed.
[[noreturn]] void Execute(char* const* arguments, const sigset_t& mask, int error_pipe) {
  ::pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  ::signal(SIGXFSZ, SIG_DFL);  // main() ignores this signal.
  ::execvp(arguments[0], arguments);
  const int error = errno;
  static_cast<void>(!::write(error_pipe, &error, sizeof(error)));
  ::_exit(127);
}

double ToSeconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

ChildExit ToExit(int status, const rusage& usage) {
  ChildExit exit;
  exit.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) {
    exit.signal = WTERMSIG(status);
    exit.exit_code = 128 + WTERMSIG(status);
  }
  exit.cpu_seconds = ToSeconds(usage.ru_utime) + ToSeconds(usage.ru_stime);
  exit.peak_rss_mb = static_cast<double>(usage.ru_maxrss) / 1024;
  return exit;
}

}  // namespace

SignalGate::SignalGate() {
  ::sigemptyset(&held_);
  for (const int signal : kForwarded) ::sigaddset(&held_, signal);
  ::sigaddset(&held_, SIGCHLD);
  // Resets SIGCHLD: if the parent ignores it, exit codes are lost.
  ::signal(SIGCHLD, SIG_DFL);
  ::pthread_sigmask(SIG_BLOCK, &held_, &former_);
}

SignalGate::~SignalGate() { ::pthread_sigmask(SIG_SETMASK, &former_, nullptr); }

Result<void> ChildProcess::Find(const std::string& program) {
  int reason = ENOENT;
  const auto runs = [&](const std::filesystem::path& path) {
    struct stat status;
    if (::stat(path.c_str(), &status) != 0) {
      if (errno == EACCES) reason = EACCES;
      return false;
    }
    if (S_ISREG(status.st_mode) && ::access(path.c_str(), X_OK) == 0) return true;
    reason = EACCES;
    return false;
  };
  const auto fail = [&] { return Fail(ErrnoError(reason, "run " + Quoted(program, 300))); };
  if (program.find('/') != std::string::npos) return runs(program) ? Result<void>() : fail();
  const char* const path = std::getenv("PATH");
  // If PATH is not set, uses the default path of execvp.
  for (const std::string_view directory : Split(path == nullptr ? "/bin:/usr/bin" : path, ':')) {
    if (runs(std::filesystem::path(directory) / program)) return {};
  }
  return fail();
}

Result<ChildProcess> ChildProcess::Start(const std::vector<std::string>& command,
                                         const SignalGate& gate) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);

  // The error of a failed exec arrives through this pipe. If exec succeeds, the pipe closes without
  // data.
  int error_pipe[2];
  if (::pipe2(error_pipe, O_CLOEXEC) != 0) return Fail(ErrnoError(errno, "open a pipe"));
  const SteadyTime start = std::chrono::steady_clock::now();
  const pid_t pid = ::fork();
  if (pid == 0) Execute(arguments.data(), gate.former(), error_pipe[1]);
  const int fork_error = errno;
  ::close(error_pipe[1]);
  if (pid < 0) {
    ::close(error_pipe[0]);
    return Fail(ErrnoError(fork_error, "start a process"));
  }
  int exec_error = 0;
  ssize_t count;
  do count = ::read(error_pipe[0], &exec_error, sizeof(exec_error));
  while (count < 0 && errno == EINTR);
  ::close(error_pipe[0]);
  if (count == sizeof(exec_error)) {
    ::waitpid(pid, nullptr, 0);
    return Fail(ErrnoError(exec_error, "run " + Quoted(command[0], 300)));
  }
  return ChildProcess(pid, start, gate);
}

ChildExit ChildProcess::Wait() {
  while (true) {
    siginfo_t info;
    const int signal = ::sigwaitinfo(&gate_->held(), &info);
    if (signal < 0) continue;  // Interrupted by another signal.
    if (signal == SIGCHLD) {
      int status = 0;
      rusage usage = {};
      // The child process was stopped or continued, but has not ended.
      if (::wait4(pid_, &status, WNOHANG, &usage) != pid_) continue;
      ChildExit exit = ToExit(status, usage);
      const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start_;
      exit.wall_seconds = wall.count();
      return exit;
    }
    // Passes on signals of other processes. Signals from the kernel (positive code) are not passed
    // on, because the terminal has already sent them to the whole process group.
    if (info.si_code <= 0) ::kill(pid_, signal);
  }
}

void EndBySignal(int signal) {
  ::prctl(PR_SET_DUMPABLE, 0);  // Only the command's core file is useful.
  ::signal(signal, SIG_DFL);
  sigset_t only;
  ::sigemptyset(&only);
  ::sigaddset(&only, signal);
  ::pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  ::raise(signal);
}

TerminalState::TerminalState() {
  termios state;
  if (::isatty(STDIN_FILENO) == 1 && ::tcgetattr(STDIN_FILENO, &state) == 0) saved_ = state;
}

void TerminalState::Restore() {
  if (!saved_) return;
  // Blocks SIGTTOU: the terminal would stop this process if it runs in the background.
  sigset_t stop, former;
  ::sigemptyset(&stop);
  ::sigaddset(&stop, SIGTTOU);
  ::pthread_sigmask(SIG_BLOCK, &stop, &former);
  ::tcsetattr(STDIN_FILENO, TCSADRAIN, &*saved_);
  ::pthread_sigmask(SIG_SETMASK, &former, nullptr);
}

}  // namespace cboard::cli
