#include "reader/live/wake_up.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

namespace cboard::reader {

Result<std::unique_ptr<WakeUp>> WakeUp::Create() {
  const int descriptor = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (descriptor < 0) return Fail(ErrnoError(errno, "start a log reader"));
  return std::unique_ptr<WakeUp>(new WakeUp(descriptor));
}

WakeUp::~WakeUp() { ::close(descriptor_); }

// Wakes the thread. If the counter is full, the write fails, but the thread wakes up anyway.
void WakeUp::Ring() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(descriptor_, &one, sizeof(one));
}

void WakeUp::Clear() {
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t read = ::read(descriptor_, &count, sizeof(count));
}

}  // namespace cboard::reader
