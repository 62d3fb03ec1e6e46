// Ctrl-C for commands that end in an orderly way.
#pragma once

namespace cboard::cli {

// From now on, the first SIGINT, SIGTERM or SIGHUP is noted, and the second one ends the program at
// once. Signals that are ignored, as in the background, stay ignored.
void NoteInterrupts();

// The signal that was noted; 0: none. Safe to call from any thread.
int InterruptingSignal();

}  // namespace cboard::cli
