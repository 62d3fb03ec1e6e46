// Lets other threads end a thread's poll().
#pragma once

#include <memory>

#include "cboard/base/result.h"

namespace cboard::reader {

class WakeUp {
 public:
  // Fails when the process has no file descriptor left.
  static Result<std::unique_ptr<WakeUp>> Create();
  ~WakeUp();
  WakeUp(const WakeUp&) = delete;
  WakeUp& operator=(const WakeUp&) = delete;

  void Ring();   // From any thread.
  void Clear();  // By the thread that waits, before it looks for what it was woken for.

  int descriptor() const { return descriptor_; }

 private:
  explicit WakeUp(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
};

}  // namespace cboard::reader
