// What the words of a comparison are called, in JSON, in events and in tables.
#include <array>

#include "cboard/compression/model_comparison.h"

namespace cboard::compare {

std::string_view NameOf(Level level) {
  constexpr std::array<std::string_view, 3> kNames = {"green", "amber", "red"};
  return kNames[static_cast<std::size_t>(level)];
}

std::string_view NameOf(Cause cause) {
  constexpr std::array<std::string_view, 11> kNames = {
      "none",         "wrong_scale",    "bias_shift",   "outliers",
      "over_clipped", "channel_spread", "dead_channel", "permuted_channels",
      "pruned",       "not_finite",     "changed"};
  return kNames[static_cast<std::size_t>(cause)];
}

std::string_view NameOf(Part part) {
  constexpr std::array<std::string_view, 3> kNames = {"weight", "bias", "output"};
  return kNames[static_cast<std::size_t>(part)];
}

std::string_view NameOf(Restored restored) {
  constexpr std::array<std::string_view, 8> kNames = {
      "nothing",     "parts",       "red_layers", "red_and_amber_layers",
      "all_weights", "all_outputs", "everything", "all_but_parts"};
  return kNames[static_cast<std::size_t>(restored)];
}

}  // namespace cboard::compare
