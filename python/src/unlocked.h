// Time without Python's lock (the GIL), for work that needs no Python.
#pragma once

#include <Python.h>
#include <unistd.h>

#if defined(__GLIBCXX__)
#include <cxxabi.h>
#endif

namespace cboard::python {

// Gives the lock back for as long as it lives; the thread must hold it.
//
//   Result<void> flushed;
//   {
//     const Unlocked unlocked;
//     flushed = writer.Flush();
//   }
//
// When the interpreter is ending, CPython (before 3.14) ends a thread that asks for the lock by
// unwinding its stack, which would terminate the program in the first destructor on the way. Such a
// thread sleeps instead, until the process is gone: it holds nothing that anybody waits for.
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
