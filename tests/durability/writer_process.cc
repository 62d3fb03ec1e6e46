// writer_process <directory> endless|obey [max_backlog_bytes] [flush_secs] [durable]: a process
// that logs scalars and says what it may rely on, so that a test can check whether it was right to.
//
// endless: three threads log steps 1, 2, 3, … under the tags "t0", "t1", "t2" until the process
//   is killed. After each Flush() that succeeds it prints "flushed <a> <b> <c>": the steps of each
//   tag that were logged before.
// obey: reads commands, one per line, and answers each with one line:
//   write N   "accepted A of N", N more steps of the tag "t0" having been tried; a step that was
//             refused is not tried again
//   flush     "flushed", or "failed: <message>"
//   steps     "steps 1-500 612-700": all that were accepted
//   close     "closed", or "failed: <message>"
//
// Prints calls of on_disk_error as "disk: <message>", and "disk: works" if there is no error.
#include <cboard/writer/summary_writer.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using cboard::Result;
using cboard::SummaryWriter;

// One write() per line: another thread's line never lands in it, and none waits in a buffer when
// the process is killed.
void Say(std::string line) {
  line += '\n';
  if (::write(STDOUT_FILENO, line.data(), line.size()) < 0) std::_Exit(1);
}

std::string Outcome(const Result<void>& result, const std::string& success) {
  return result ? success : "failed: " + result.error().message;
}

[[noreturn]] void LogEndlessly(SummaryWriter& writer) {
  std::array<std::atomic<std::int64_t>, 3> logged{};
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < logged.size(); ++i) {
    threads.emplace_back([&writer, &count = logged[i], i] {
      const std::string tag = "t" + std::to_string(i);
      std::minstd_rand random(static_cast<unsigned>(i + 1));
      while (true) {
        const std::int64_t step = count + 1;
        if (!writer.AddScalar(tag, static_cast<double>(step), step)) std::_Exit(1);
        count = step;
        // Bursts, as training loops make them; they also keep the files small enough to check.
        if (random() % 64 == 0) std::this_thread::sleep_for(std::chrono::microseconds(300));
      }
    });
  }
  while (true) {
    std::string line = "flushed";
    for (const auto& count : logged) line += " " + std::to_string(count);
    if (!writer.Flush()) std::_Exit(1);
    Say(line);
  }
}

class ObedientLogger {
 public:
  explicit ObedientLogger(SummaryWriter& writer) : writer_(writer) {}

  void Obey(const std::string& command) {
    if (command.starts_with("write ")) {
      Write(std::stoll(command.substr(6)));
    } else if (command == "flush") {
      Say(Outcome(writer_.Flush(), "flushed"));
    } else if (command == "steps") {
      std::string line = "steps";
      for (const auto& [first, last] : accepted_) {
        line += " " + std::to_string(first) + "-" + std::to_string(last);
      }
      Say(line);
    } else if (command == "close") {
      Say(Outcome(writer_.Close(), "closed"));
    } else {
      Say("unknown command " + command);
    }
  }

 private:
  void Write(std::int64_t count) {
    std::int64_t accepted = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      ++step_;
      if (!writer_.AddScalar("t0", static_cast<double>(step_), step_)) continue;
      ++accepted;
      if (!accepted_.empty() && accepted_.back().second == step_ - 1) {
        accepted_.back().second = step_;
      } else {
        accepted_.emplace_back(step_, step_);
      }
    }
    Say("accepted " + std::to_string(accepted) + " of " + std::to_string(count));
  }

  SummaryWriter& writer_;
  std::int64_t step_ = 0;
  std::vector<std::pair<std::int64_t, std::int64_t>> accepted_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: writer_process <directory> endless|obey [max_backlog_bytes] [flush_secs] "
                 "[durable]\n";
    return 2;
  }
  cboard::WriterOptions options;
  if (argc > 3) options.max_backlog_bytes = std::stoull(argv[3]);
  if (argc > 4) options.flush_secs = std::stod(argv[4]);
  options.durable = argc > 5 && std::string(argv[5]) == "durable";
  options.on_disk_error = [](const std::optional<cboard::Error>& error) {
    Say("disk: " + (error ? error->message : std::string("works")));
  };
  SummaryWriter writer(argv[1], options);
  if (const Result<void> status = writer.status(); !status) {
    Say("failed: " + status.error().message);
    return 1;
  }
  if (std::string(argv[2]) == "endless") LogEndlessly(writer);
  ObedientLogger logger(writer);
  for (std::string line; std::getline(std::cin, line);) logger.Obey(line);
}
