// Keeps a file as long as it is while pieces of it are mapped.
//
//   FileLease lease(file);
//   if (lease.Enter()) {
//     …                 // Nobody can shorten the file now.
//     lease.Leave();
//   }
#pragma once

#include <mutex>

#include "cboard/base/file.h"

namespace cboard::reader {

// Reading a mapped page that the file has lost ends the program (SIGBUS), so only what cannot be
// lost is mapped: Linux lends a file (F_SETLEASE) to a reader when nobody has it open for writing,
// and lets whoever opens or truncates it afterwards wait until the reader gives it back. Readers
// here enter for milliseconds. Files of other users, files that are being written and files of
// other machines are not lent; those are read instead.
//
// All methods may be called from any thread.
class FileLease {
 public:
  explicit FileLease(const File& file) : descriptor_(file.descriptor()) {}  // Borrows `file`.
  FileLease(const FileLease&) = delete;
  FileLease& operator=(const FileLease&) = delete;

  // Whether the file keeps its length until Leave(), which must follow only if so. False also when
  // somebody waits for the file: what others have entered for ends, and nothing new begins.
  bool Enter();
  void Leave();

 private:
  bool Ask();

  const int descriptor_;
  std::mutex mutex_;  // Guards the following.
  int entered_ = 0;
  bool was_asked_ = false;
  bool is_refused_ = false;
};

}  // namespace cboard::reader
