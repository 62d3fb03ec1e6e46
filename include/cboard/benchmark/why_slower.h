// Why is INT8 not faster? Reasons from the graph that ONNX Runtime really runs and from its
// profile.
//
//   CBOARD_ASSIGN_OR_RETURN(const auto profile, ProfileModel("int8.onnx", options));
//   for (const SlowReason& reason : FindReasons(fp32_profile, profile, DescribeMachine())) …
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/benchmark/machine.h"
#include "cboard/benchmark/variant.h"
#include "cboard/model/model_graph.h"

namespace cboard::benchmark {

enum class SlowCause {
  kFloatIsland,          // Operators that stayed in float between quantized ones.
  kUnfusedQdq,           // QuantizeLinear and DequantizeLinear that ONNX Runtime runs as such.
  kPerChannelWeights,    // Per-channel weights on an operator that takes only one scale.
  kDynamicQuantization,  // Ranges that are computed in each run.
  kNoInt8Instructions,   // A CPU without VNNI, AMX or the dot product of ARM.
  kTooSmall,             // Operators so small that quantizing costs more than it saves.
};
std::string_view NameOf(SlowCause cause);  // "float_island", …

struct SlowReason {
  SlowCause cause;
  std::vector<std::string> nodes;  // The most expensive first; at most 10.
  double share = 0;                // Share of the variant's time; 0 if it was not timed.
  std::string explanation;         // The finding, and a way to fix it.
};

// A node of the graph that ONNX Runtime runs, after its optimizations.
struct ProfiledNode {
  std::string name;
  std::string op_type;
  double median_us = 0;
};

class ModelProfile {
 public:
  ModelProfile(std::vector<ProfiledNode> nodes, model::ModelGraph graph)
      : nodes_(std::move(nodes)), graph_(std::move(graph)) {}

  const std::vector<ProfiledNode>& nodes() const { return nodes_; }  // The most expensive first.
  const model::ModelGraph& graph() const { return graph_; }          // After optimizations.

  // Time of all nodes per inference.
  double TotalUs() const;
  std::map<std::string, double> UsByOperator() const;

 private:
  std::vector<ProfiledNode> nodes_;
  model::ModelGraph graph_;
};

// Runs the model with ONNX Runtime's profiler.
Result<ModelProfile> ProfileModel(const std::filesystem::path& model, const RunOptions& options);

// The time of each node in the text of a profile, the most expensive first. Fails with kDataLoss
// when it is not a profile.
Result<std::vector<ProfiledNode>> ParseProfile(std::string_view text);

// The likeliest reasons, the most expensive first. Empty when nothing was found.
std::vector<SlowReason> FindReasons(const ModelProfile& baseline, const ModelProfile& variant,
                                    const MachineInfo& machine);

// The time of an operator in both variants, per inference.
struct OperatorTime {
  std::string op_type;
  double baseline_us = 0;
  double variant_us = 0;
};

// By the larger of both times, at most `max_count`.
std::vector<OperatorTime> CompareOperators(const ModelProfile& baseline,
                                           const ModelProfile& variant, std::size_t max_count);

}  // namespace cboard::benchmark
