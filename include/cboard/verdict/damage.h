// Names and limits for the damage that compression did to a layer. `compare` (two model files),
// `analysis` (logs), gates, reports, JSON and the page all use these names and limits.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace cboard::verdict {

// How damaged a layer is. Green means measured and good. A layer without values from before and
// after quantization is kUnmeasured, whatever else is known about it.
enum class Level { kUnmeasured, kGreen, kAmber, kRed };
std::string_view NameOf(Level level);  // "unmeasured", "green", "amber", "red"
std::optional<Level> LevelNamed(std::string_view name);

// The causes of damage to a layer.
enum class Cause {
  kNone,
  kWrongScale,        // Values are multiplied by a wrong factor.
  kBiasShift,         // Values have an added offset.
  kOutliers,          // A few large values stretch the range; the others share few codes.
  kOverClipped,       // Values outside the range were clipped.
  kChannelSpread,     // Channels of very different size share one scale.
  kDeadChannel,       // A channel became constant.
  kDead,              // The whole tensor became constant.
  kPermutedChannels,  // The channels are in another order.
  kPruned,            // Many values became 0, and the others stayed.
  kNotFinite,         // Values became NaN or infinite.
  kCarried,           // An earlier layer is damaged, and this layer may only pass its error on.
  kChanged,           // None of the other causes explains the error.
  // This cause and all following causes are found by runs that measure the outputs of the model.
  kCalibration,      // Ranges do not fit the data: calibration used other samples.
  kSharedScale,      // Branches of very different magnitude are joined under one scale.
  kMask,             // Mask values before a Softmax stretch the range.
  kSplitOperator,    // LayerNorm, Softmax or GELU is quantized between its parts.
  kSmallValues,      // Small values that Log, Sqrt or a divisor needs were rounded away.
  kOutlierChannels,  // A few channels of a transformer's activations stretch the range.
  kOneSided,         // Symmetric codes for values of one sign: half of the codes are unused.
  kBiasOverflow,     // A bias that 32-bit codes cannot hold.
  kLargeBlocks,      // Blocks of low-bit weights are too large for one scale.
  kTooFewBits,       // Rounding is too coarse for the operators that use the values.
  kManySmallErrors,  // Many layers contribute to the error, and none of them stands out.
};
inline constexpr std::size_t kCauseCount = 24;

// The name of a cause in JSON, events and tables: "wrong_scale", "over_clipped", …
std::string_view NameOf(Cause cause);

// Finds the cause with this name; nullopt if there is none. Also accepts old names from logs:
// clipped, shifted, scaled, stretched.
std::optional<Cause> CauseNamed(std::string_view name);

// Texts for users: one or two words for a table cell ("clipped"; empty for kNone), and the title of
// a finding ("Clipped").
std::string_view ShortTextOf(Cause cause);
std::string_view HeadlineOf(Cause cause);

// The tensor of a layer that a diagnosis describes.
enum class Part { kWeight, kBias, kOutput };
std::string_view NameOf(Part part);  // "weight", "bias", "output"

// The rule by which a layer of the variant was paired with a layer of the baseline.
enum class PairedBy {
  kName,                // The same name.
  kSuffix,              // The same name without the suffix that a quantizer appended.
  kWeights,             // Their weights have the same name, apart from such suffixes.
  kScope,               // The only candidate, or the last node of a fused chain, in the scope.
  kContent,             // The same weights, up to a transpose and a factor per channel.
  kTensor,              // Their outputs have the same name. For layers without weights.
  kFusedChild,          // conv1.0, the first part of a fused module, is conv1.
  kStrippedCharacters,  // One name lost characters that observers cannot keep.
};
std::string_view NameOf(PairedBy how);  // "name", "suffix", …

// Limits between green, amber and red, for 8 bits. ThresholdsFor() converts them to fewer bits.
struct Thresholds {
  double sqnr_amber_db = 30;
  double sqnr_red_db = 20;
  double worst_channel_red_db = 10;
  double clip_rate_amber = 0.001;  // Share of values outside the range.
  double rmse_steps_amber = 0.7;   // Error in steps of the scale; ideal rounding gives 0.29.
  double mean_shift_amber = 0.1;   // In standard deviations.
  double min_central_codes = 32;   // Number of codes for the middle 99.9 % of the values.
};
Thresholds ThresholdsFor(int bits, const Thresholds& for_8_bits = {});

// Returns the level of an SQNR. The SQNR and the limits must be for the same bit width.
Level LevelOf(double sqnr_db, const Thresholds& thresholds);

struct Diagnosis {
  Level level = Level::kUnmeasured;
  Cause cause = Cause::kNone;
  Part part = Part::kWeight;  // The tensor that `cause` is about.
  // The SQNR that decided the level, converted to 8 bits (bit_limits.h). It may be that of the
  // worst channel. Lower is worse.
  double severity_db = 0;
  std::string explanation = {};  // A sentence with the values; empty for kNone.
};

}  // namespace cboard::verdict
