// Ctrl-C for commands that end in an orderly way.
#pragma once

namespace cboard::cli {

// Records the first SIGINT, SIGTERM or SIGHUP from now on; the second one ends the program at once.
// Signals that are ignored, as in the background, stay ignored.
void NoteInterrupts();

// The recorded signal; 0 for none. May be called from any thread.
int InterruptingSignal();

}  // namespace cboard::cli
