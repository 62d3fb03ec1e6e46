#include "cboard/verdict/damage.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "cboard/verdict/bit_limits.h"

namespace cboard::verdict {
namespace {

constexpr std::array<std::string_view, 4> kLevelNames = {"unmeasured", "green", "amber", "red"};

struct CauseTexts {
  std::string_view name, short_text, headline;
};
// The texts of all causes, in the order of enum Cause.
constexpr std::array<CauseTexts, kCauseCount> kCauses = {{
    {"none", "", "No damage"},
    {"wrong_scale", "wrong scale", "Wrong scale"},
    {"bias_shift", "shifted", "Values shifted"},
    {"outliers", "outliers", "Range stretched by outliers"},
    {"over_clipped", "clipped", "Values clipped"},
    {"channel_spread", "unequal channels", "One scale for unequal channels"},
    {"dead_channel", "dead channel", "A channel became constant"},
    {"dead", "dead", "All values became the same"},
    {"permuted_channels", "channel order", "Channels in another order"},
    {"pruned", "pruned", "Pruned"},
    {"not_finite", "not finite", "Values became NaN or infinite"},
    {"carried", "carried over", "Error may come from an earlier layer"},
    {"changed", "changed", "Changed, cause unknown"},
    {"calibration", "calibration", "Calibrated with other data"},
    {"shared_scale", "shared scale", "One scale for unequal branches"},
    {"mask", "mask", "Range stretched by a mask"},
    {"split_operator", "in pieces", "Operator quantized in pieces"},
    {"small_values", "small values", "Small values rounded away"},
    {"outlier_channels", "outlier channels", "Range stretched by outlier channels"},
    {"one_sided", "one-sided", "Symmetric codes for values of one sign"},
    {"bias_overflow", "bias overflow", "Bias does not fit into 32 bits"},
    {"large_blocks", "large blocks", "Blocks of weights too large"},
    {"too_few_bits", "too few bits", "Too few bits"},
    {"many_small_errors", "many small errors", "Many small errors add up"},
}};

constexpr std::array<std::pair<std::string_view, Cause>, 4> kOldNames = {
    {{"clipped", Cause::kOverClipped},
     {"shifted", Cause::kBiasShift},
     {"scaled", Cause::kWrongScale},
     {"stretched", Cause::kOutliers}}};

}  // namespace

std::string_view NameOf(Level level) { return kLevelNames[static_cast<std::size_t>(level)]; }

std::optional<Level> LevelNamed(std::string_view name) {
  const auto found = std::ranges::find(kLevelNames, name);
  if (found == kLevelNames.end()) return std::nullopt;
  return static_cast<Level>(found - kLevelNames.begin());
}

std::string_view NameOf(Cause cause) { return kCauses[static_cast<std::size_t>(cause)].name; }

std::optional<Cause> CauseNamed(std::string_view name) {
  const auto found = std::ranges::find(kCauses, name, &CauseTexts::name);
  if (found != kCauses.end()) return static_cast<Cause>(found - kCauses.begin());
  const auto old = std::ranges::find(kOldNames, name, &std::pair<std::string_view, Cause>::first);
  return old == kOldNames.end() ? std::nullopt : std::optional(old->second);
}

std::string_view ShortTextOf(Cause cause) {
  return kCauses[static_cast<std::size_t>(cause)].short_text;
}

std::string_view HeadlineOf(Cause cause) {
  return kCauses[static_cast<std::size_t>(cause)].headline;
}

std::string_view NameOf(Part part) {
  constexpr std::array<std::string_view, 3> kNames = {"weight", "bias", "output"};
  return kNames[static_cast<std::size_t>(part)];
}

std::string_view NameOf(PairedBy how) {
  constexpr std::array<std::string_view, 8> kNames = {
      "name",    "suffix", "weights",     "scope",
      "content", "tensor", "fused_child", "stripped_characters"};
  return kNames[static_cast<std::size_t>(how)];
}

Thresholds ThresholdsFor(int bits, const Thresholds& for_8_bits) {
  Thresholds thresholds = for_8_bits;
  for (double* limit :
       {&thresholds.sqnr_amber_db, &thresholds.sqnr_red_db, &thresholds.worst_channel_red_db}) {
    *limit = LimitDb(*limit, bits);
  }
  thresholds.clip_rate_amber = LimitOfClipped(thresholds.clip_rate_amber, bits);
  if (bits < 8) thresholds.min_central_codes = std::ldexp(thresholds.min_central_codes, bits - 8);
  return thresholds;
}

Level LevelOf(double sqnr_db, const Thresholds& thresholds) {
  return sqnr_db < thresholds.sqnr_red_db     ? Level::kRed
         : sqnr_db < thresholds.sqnr_amber_db ? Level::kAmber
                                              : Level::kGreen;
}

}  // namespace cboard::verdict
