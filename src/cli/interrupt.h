// Handles Ctrl-C in commands that finish their current work first.
#pragma once

namespace cboard::cli {

// Starts to record signals: the first SIGINT, SIGTERM or SIGHUP is recorded, the second ends the
// program at once. Signals that are ignored, as in the background, stay ignored.
void NoteInterrupts();

// Returns the recorded signal; 0 if there is none. May be called from any thread.
int InterruptingSignal();

}  // namespace cboard::cli
