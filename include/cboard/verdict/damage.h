// The words and limits for the damage that compression did to a layer. `compare` (two model files),
// `analysis` (logs), gates, reports, JSON and the page all use these.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace cboard::verdict {

// How much of a layer is damaged. Green means measured and good: a layer without values from before
// and after quantization is kUnmeasured, whatever else is known about it.
enum class Level { kUnmeasured, kGreen, kAmber, kRed };
std::string_view NameOf(Level level);  // "unmeasured", "green", "amber", "red"
std::optional<Level> LevelNamed(std::string_view name);

// Why a layer is damaged.
enum class Cause {
  kNone,
  kWrongScale,        // The same values, times a factor.
  kBiasShift,         // The same values, plus an offset.
  kOutliers,          // A few large values stretch the range; the others share few codes.
  kOverClipped,       // Values beyond the range were cut off.
  kChannelSpread,     // Channels of very different size share one scale.
  kDeadChannel,       // A channel became constant.
  kDead,              // The whole tensor became constant.
  kPermutedChannels,  // The channels are in another order.
  kPruned,            // Many values became 0, and the others stayed.
  kNotFinite,         // Values became NaN or infinite.
  kCarried,           // An earlier layer is damaged, and this layer may only pass its error on.
  kChanged,           // None of the other causes explains the error.
  // Measured at the end of the network:
  kCalibration,      // Ranges do not fit the data: calibrated with other samples.
  kSharedScale,      // Branches of very different size are joined under one scale.
  kMask,             // Mask values before a Softmax stretch the range.
  kSplitOperator,    // LayerNorm, Softmax or GELU is quantized between its pieces.
  kSmallValues,      // Small values that Log, Sqrt or a divisor needs were rounded away.
  kOutlierChannels,  // A few channels of a transformer's activations stretch the range.
  kOneSided,         // Symmetric codes for values of one sign: half of the codes are unused.
  kBiasOverflow,     // A bias that 32-bit codes cannot hold.
  kLargeBlocks,      // Blocks of low-bit weights are too large for one scale.
  kTooFewBits,       // Rounding is too coarse for what the network makes of the values.
  kManySmallErrors,  // Many layers share the error, and none of them stands out.
};
inline constexpr std::size_t kCauseCount = 24;

// The name in JSON, events and tables: "wrong_scale", "over_clipped", …
std::string_view NameOf(Cause cause);

// The cause of a name; nothing for other text. Also takes the names that the ranking of logs used
// to have: clipped, shifted, scaled, stretched.
std::optional<Cause> CauseNamed(std::string_view name);

// For people: one word or two for the cell of a table ("clipped"; empty for kNone), and the
// headline of a finding ("Clipped").
std::string_view ShortTextOf(Cause cause);
std::string_view HeadlineOf(Cause cause);

// Which tensor of a layer a diagnosis is about.
enum class Part { kWeight, kBias, kOutput };
std::string_view NameOf(Part part);  // "weight", "bias", "output"

// How two layers were found to be the same layer before and after compression.
enum class PairedBy {
  kName,                // The same name.
  kSuffix,              // The same name without the suffix that a quantizer appended.
  kWeights,             // Their weights have the same name, apart from such suffixes.
  kScope,               // The only candidate, or the last operation of a fused chain, in the scope.
  kContent,             // The same weights, up to a transpose and a factor per channel.
  kTensor,              // Their outputs have the same name. For layers without weights.
  kFusedChild,          // conv1.0, the first part of a fused module, is conv1.
  kStrippedCharacters,  // One name lost characters that observers cannot keep.
};
std::string_view NameOf(PairedBy how);  // "name", "suffix", …

// Where green ends. The limits are for 8 bits; ThresholdsFor() gives those for fewer.
struct Thresholds {
  double sqnr_amber_db = 30;
  double sqnr_red_db = 20;
  double worst_channel_red_db = 10;
  double clip_rate_amber = 0.001;  // Share of values beyond the range.
  double rmse_steps_amber = 0.7;   // Error in steps of the scale; rounding alone makes 0.29.
  double mean_shift_amber = 0.1;   // In standard deviations.
  double min_central_codes = 32;   // Codes that the middle 99.9 % of the values share.
};
Thresholds ThresholdsFor(int bits, const Thresholds& for_8_bits = {});

// Red, amber or green, by an SQNR and limits of the same number of bits.
Level LevelOf(double sqnr_db, const Thresholds& thresholds);

struct Diagnosis {
  Level level = Level::kUnmeasured;
  Cause cause = Cause::kNone;
  Part part = Part::kWeight;  // The tensor that `cause` is about.
  // The SQNR that decided the level, with the worst channel taken into account, converted to 8 bits
  // (bit_limits.h). Lower is worse.
  double severity_db = 0;
  std::string explanation = {};  // A sentence with its numbers; empty for kNone.
};

}  // namespace cboard::verdict
