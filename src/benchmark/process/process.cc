#include "benchmark/process/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "benchmark/latency/run_clock.h"
#include "cboard/base/strings.h"

extern char** environ;

namespace cboard::benchmark {
namespace {

class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) ends_ = {-1, -1};
  }
  ~Pipe() {
    CloseWriting();
    if (ends_[0] >= 0) ::close(ends_[0]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  bool is_open() const { return ends_[0] >= 0; }
  int reading() const { return ends_[0]; }
  int writing() const { return ends_[1]; }
  void CloseWriting() {
    if (ends_[1] >= 0) ::close(std::exchange(ends_[1], -1));
  }

 private:
  std::array<int, 2> ends_ = {-1, -1};
};

// Appends the available output to `text`. Returns false at the end of the stream.
bool ReadMore(int descriptor, std::string& text) {
  std::array<char, 65536> buffer;
  const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  text.append(buffer.data(), static_cast<std::size_t>(count));
  if (text.size() > 2 * kMaxOutputBytes) text.erase(0, text.size() - kMaxOutputBytes);
  return count > 0;
}

}  // namespace

Result<ProcessEnd> RunProcess(const std::vector<std::string>& command, double max_seconds,
                              const std::function<bool()>& stop_requested) {
  Pipe output, errors;
  if (!output.is_open() || !errors.is_open()) return Fail(ErrnoError(errno, "open a pipe"));
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, output.writing(), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, errors.writing(), STDERR_FILENO);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t pid = -1;
  const int failure =
      ::posix_spawnp(&pid, arguments[0], &actions, &attributes, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  if (failure != 0) return Fail(ErrnoError(failure, "run " + Quoted(command[0], 1000)));
  output.CloseWriting();
  errors.CloseWriting();

  ProcessEnd end;
  const double start = WallSeconds();
  bool is_output_open = true, is_errors_open = true;
  std::string why_killed;
  while (is_output_open || is_errors_open) {
    std::array<pollfd, 2> polled = {{{is_output_open ? output.reading() : -1, POLLIN, 0},
                                     {is_errors_open ? errors.reading() : -1, POLLIN, 0}}};
    constexpr int kPollMs = 100;
    ::poll(polled.data(), polled.size(), kPollMs);
    if (polled[0].revents != 0) is_output_open = ReadMore(output.reading(), end.output);
    if (polled[1].revents != 0) is_errors_open = ReadMore(errors.reading(), end.errors);
    if (WallSeconds() - start > max_seconds) {
      why_killed = " did not end within " + ShortestDecimal(max_seconds) + " s and was killed";
    } else if (stop_requested && stop_requested()) {
      why_killed = " was interrupted";
    }
    if (!why_killed.empty()) break;
  }
  if (!why_killed.empty()) ::kill(-pid, SIGKILL);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!why_killed.empty()) {
    return Fail(ErrorCode::kUnavailable, Quoted(command[0], 1000) + why_killed);
  }
  end.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return end;
}

}  // namespace cboard::benchmark
