// The standard streams of a program.
#pragma once

namespace cboard {

// Occupies standard input, output and error if the caller of the program has closed them.
// Otherwise, a file or connection opened next would get the number of one of them, and messages
// would be written to it. Reading from and writing to such a stream fails, as before. Call this
// first in main().
void OccupyClosedStandardStreams();

}  // namespace cboard
