// Handles Ctrl-C in commands that finish their current work first.
#pragma once

namespace cboard::cli {

// Starts to record signals. The first SIGINT, SIGTERM or SIGHUP is recorded; the second one ends
// the program at once. Signals that were already ignored, for example in a background process, stay
// ignored.
void NoteInterrupts();

// Returns the recorded signal; 0 if there is none. May be called from any thread.
int InterruptingSignal();

}  // namespace cboard::cli
