#include "tune/operator_times.h"

#include "cboard/benchmark/why_slower.h"

namespace cboard::tune {
namespace {

// Finds the time of a node. ONNX Runtime's names of fused nodes contain the names of their nodes:
// "fused conv1", "conv1_nchwc".
std::optional<double> TimeOf(const std::map<std::string, double>& times, const std::string& node) {
  if (const auto found = times.find(node); found != times.end()) return found->second;
  std::optional<double> time;
  for (const auto& [name, us] : times) {
    if (name.find(node) == name.npos) continue;
    if (time) return std::nullopt;  // The name is ambiguous: "conv1" is also part of "conv10".
    time = us;
  }
  return time;
}

}  // namespace

OperatorTimes::OperatorTimes(std::filesystem::path baseline, std::filesystem::path quantized,
                             benchmark::RunOptions run, Stored stored, Store store)
    : baseline_(std::move(baseline)),
      quantized_(std::move(quantized)),
      run_(std::move(run)),
      stored_(std::move(stored)),
      store_(std::move(store)) {}

void OperatorTimes::Prepare() {
  if (is_prepared_ || baseline_.empty()) return;
  is_prepared_ = true;
  const auto read = [&](const std::filesystem::path& model, std::map<std::string, double>& times) {
    const auto profile = benchmark::ProfileModel(model, run_);
    if (!profile) return;
    for (const benchmark::ProfiledNode& node : profile->nodes()) {
      times[node.name] += node.median_us;
    }
  };
  read(baseline_, float_us_);
  read(quantized_, quantized_us_);
}

std::optional<double> OperatorTimes::AddedUs(const std::string& node) {
  if (const auto found = stored_.find(node); found != stored_.end()) return found->second;
  Prepare();
  const auto before = TimeOf(quantized_us_, node), after = TimeOf(float_us_, node);
  if (!before || !after) return std::nullopt;
  const double added = *after - *before;
  stored_[node] = added;
  // An error is ignored: a time that is not stored is measured again.
  if (store_) static_cast<void>(store_(node, added));
  return added;
}

}  // namespace cboard::tune
