// Releases Python's lock (the GIL) during work that needs no Python.
#pragma once

#include <Python.h>
#include <unistd.h>

#if defined(__GLIBCXX__)
#include <cxxabi.h>
#endif

namespace cboard::python {

// Releases the GIL during its lifetime; the thread must hold it before.
//
//   Result<void> flushed;
//   {
//     const Unlocked unlocked;
//     flushed = writer.Flush();
//   }
//
// While the interpreter ends, CPython (before 3.14) ends a thread that requests the GIL by
// unwinding its stack, which would terminate the program in the first destructor on the way. Here,
// such a thread sleeps until the process ends. This blocks no other thread, because the sleeping
// thread holds no lock.
class Unlocked {
 public:
  Unlocked() : thread_(PyEval_SaveThread()) {}
  ~Unlocked() {
#if defined(__GLIBCXX__)
    try {
      PyEval_RestoreThread(thread_);
    } catch (const abi::__forced_unwind&) {
      for (;;) ::pause();
    }
#else
    PyEval_RestoreThread(thread_);
#endif
  }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  PyThreadState* thread_;
};

}  // namespace cboard::python
