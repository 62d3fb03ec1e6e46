#include "cli/interrupt.h"

#include <signal.h>

#include <atomic>

namespace cboard::cli {
namespace {

// The recorded signal; a signal handler writes it and several threads read it.
std::atomic<int> interrupting_signal = 0;
static_assert(std::atomic<int>::is_always_lock_free);

}  // namespace

void NoteInterrupts() {
  struct sigaction action = {};
  action.sa_handler = [](int signal) { interrupting_signal = signal; };
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction former;
    if (::sigaction(signal, nullptr, &former) != 0 || former.sa_handler == SIG_IGN) continue;
    ::sigaction(signal, &action, nullptr);
  }
}

int InterruptingSignal() { return interrupting_signal; }

}  // namespace cboard::cli
