// Logs to a directory, for tests:  bucket_writer DIRECTORY FIRST_STEP COUNT FLUSH_EVERY [fork]
//
// After each flush, prints the last step that is stored. With `fork`, a child process logs 50 steps
// from 5,000,000 on, and ends without closing anything.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>

#include "cboard/writer/summary_writer.h"

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  const std::int64_t first = std::atoll(argv[2]), count = std::atoll(argv[3]);
  const std::int64_t flush_every = std::atoll(argv[4]);
  cboard::SummaryWriter writer(argv[1], {.flush_secs = 0.2});
  if (const auto opened = writer.status(); !opened) {
    std::cerr << opened.error().message << std::endl;
    return 1;
  }
  if (argc > 5) {
    static_cast<void>(writer.AddScalar("loss", 1.0, first + count - 1));
    const pid_t child = ::fork();
    if (child == 0) {
      for (int i = 0; i < 50; ++i) static_cast<void>(writer.AddScalar("loss", 1.0, 5'000'000 + i));
      ::_exit(0);
    }
    ::waitpid(child, nullptr, 0);
  }
  const std::int64_t end = first + count - (argc > 5 ? 1 : 0);
  for (std::int64_t step = first; step < end; ++step) {
    static_cast<void>(writer.AddScalar("loss", 1.0 / static_cast<double>(step + 1), step));
    if ((step + 1) % flush_every != 0) continue;
    if (const auto flushed = writer.Flush(); !flushed) {
      std::cerr << flushed.error().message << std::endl;
    } else {
      std::cout << step << std::endl;
    }
  }
  if (const auto closed = writer.Close(); !closed) {
    std::cerr << closed.error().message << std::endl;
    return 1;
  }
  std::cout << "closed" << std::endl;
  return 0;
}
