// Finds reasons why INT8 is not faster, from the optimized graph that ONNX Runtime runs and from
// its profile.
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
  kFloatIsland,  // Operators that stayed in float between quantized ones.
  // Some QuantizeLinear and DequantizeLinear nodes were not fused by ONNX Runtime.
  kUnfusedQdq,
  kPerChannelWeights,    // Per-channel weights on an operator that supports one scale only.
  kDynamicQuantization,  // Activation ranges are computed in each run.
  kNoInt8Instructions,   // The CPU has no VNNI, AMX or ARM dot product.
  kTooSmall,             // Operators so small that quantization costs more than it saves.
  kNotQuantized,         // The variant has the same float operators as the baseline.
  kWeightOnlyBlocks,     // Weights in blocks of few bits are dequantized in each run.
  kWeightOnlyQdq,        // Only weights have a DequantizeLinear, which runs each time.
  // Nothing else was found, but these operators take longer than in the baseline.
  kGrownOperators,
};
std::string_view NameOf(SlowCause cause);  // "float_island", …

struct SlowReason {
  SlowCause cause;
  std::vector<std::string> nodes;  // The most expensive first; at most 10.
  double share = 0;                // Share of the variant's time; 0 if not measured.
  std::string explanation;         // The finding, and a way to fix it.
};

// A node of the graph that ONNX Runtime runs after its optimizations.
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
  // The graph that ONNX Runtime runs after its optimizations.
  const model::ModelGraph& graph() const { return graph_; }

  // The sum of the times of all nodes, per inference.
  double TotalUs() const;
  std::map<std::string, double> UsByOperator() const;

 private:
  std::vector<ProfiledNode> nodes_;
  model::ModelGraph graph_;
};

// Runs the model with ONNX Runtime's profiler.
Result<ModelProfile> ProfileModel(const std::filesystem::path& model, const RunOptions& options);

// Parses the text of a profile into the time of each node, the most expensive first. Fails with
// kDataLoss if the text is not a profile.
Result<std::vector<ProfiledNode>> ParseProfile(std::string_view text);

// Finds the likeliest reasons, the most expensive first; empty if none was found. For a variant
// whose verdict is `slower`, there is a reason if any operator takes longer than in the baseline.
std::vector<SlowReason> FindReasons(const ModelProfile& baseline, const ModelProfile& variant,
                                    const MachineInfo& machine, bool is_slower = false);

// The time of an operator in both variants, per inference.
struct OperatorTime {
  std::string op_type;
  double baseline_us = 0;
  double variant_us = 0;
};

// Compares the time per operator. Returns at most `max_count` operators, sorted by the larger of
// their times in the two variants.
std::vector<OperatorTime> CompareOperators(const ModelProfile& baseline,
                                           const ModelProfile& variant, std::size_t max_count);

}  // namespace cboard::benchmark
