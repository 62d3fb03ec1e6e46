#include <algorithm>
#include <array>
#include <utility>

#include "cboard/base/strings.h"
#include "cboard/quantize/quantize_options.h"

namespace cboard::quantize {
namespace {

template <typename T>
using Name = std::pair<std::string_view, T>;

constexpr auto kPrecisions = std::to_array<Name<Precision>>({{"w8a8", Precision::kW8A8},
                                                             {"w8a16", Precision::kW8A16},
                                                             {"w4a16", Precision::kW4A16},
                                                             {"w4a8", Precision::kW4A8},
                                                             {"fp16", Precision::kHalf},
                                                             {"dynamic", Precision::kDynamic}});
constexpr auto kTargets = std::to_array<Name<Target>>({{"this-machine", Target::kThisMachine},
                                                       {"ort-cpu", Target::kOrtCpu},
                                                       {"ort-vnni", Target::kOrtVnni},
                                                       {"tensorrt", Target::kTensorRt},
                                                       {"openvino", Target::kOpenVino}});
constexpr auto kMethods =
    std::to_array<Name<RangeMethod>>({{"auto", RangeMethod::kAuto},
                                      {"minmax", RangeMethod::kMinMax},
                                      {"percentile", RangeMethod::kPercentile},
                                      {"entropy", RangeMethod::kEntropy},
                                      {"mse", RangeMethod::kMse}});

template <typename T, std::size_t N>
Result<T> Find(std::string_view kind, const std::array<Name<T>, N>& names, std::string_view name) {
  std::string known;
  for (const auto& [one, value] : names) {
    if (one == name) return value;
    known += (known.empty() ? "" : ", ") + std::string(one);
  }
  return Fail(ErrorCode::kInvalidArgument,
              "unknown " + std::string(kind) + " " + Quoted(name) + "; use one of " + known);
}

template <typename T, std::size_t N>
std::string_view NameIn(const std::array<Name<T>, N>& names, T value) {
  const auto found = std::ranges::find(names, value, &Name<T>::second);
  return found == names.end() ? "unknown" : found->first;
}

}  // namespace

Result<Precision> PrecisionOf(std::string_view name) {
  return Find("precision", kPrecisions, name);
}
Result<Target> TargetOf(std::string_view name) { return Find("target", kTargets, name); }
Result<RangeMethod> RangeMethodOf(std::string_view name) {
  return Find("range method", kMethods, name);
}
std::string_view NameOf(Precision precision) { return NameIn(kPrecisions, precision); }
std::string_view NameOf(Target target) { return NameIn(kTargets, target); }
std::string_view NameOf(RangeMethod method) { return NameIn(kMethods, method); }

bool HasVnni() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512vnni") || __builtin_cpu_supports("avxvnni");
#else
  return true;  // Other processors, such as ARM, accumulate in 32 bits.
#endif
}

}  // namespace cboard::quantize
