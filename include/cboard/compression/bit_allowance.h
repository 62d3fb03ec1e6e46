// How much coarser fewer bits may be than the eight that limits in dB are made for.
#pragma once

namespace cboard {

// In dB: 6.02 for each bit less. More bits get no stricter limits.
constexpr double BitAllowanceDb(int bits) { return bits < 8 ? 6.02 * (8 - bits) : 0; }

}  // namespace cboard
