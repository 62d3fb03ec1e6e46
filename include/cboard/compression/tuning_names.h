// Names in the log of an accuracy-driven tuning: directories, tags, and which operation of a fused
// group speaks for it. docs/tuning.md shows them in a log.
//
//   runs/eval/baseline_acc_0.776     conv1/weight/fp32   conv1/Output/fp32
//   runs/eval/tune_1_acc_0.095       conv1/weight/int8   conv1/Output/int8
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cboard::compression {

// The separator between the trial and its accuracy: tune_1_acc_0.79 or tune_1_acc0.79.
enum class TrialNaming { kTensorFlow, kPyTorch };

// baseline_acc_0.776 (TensorFlow), baseline_acc0.80 (PyTorch), tune_1_acc_[0.776] (several metrics
// since neural-compressor 2), tune_3 (still running). tune_0 is the baseline.
struct TrialName {
  int number = 0;  // 0: the baseline.
  bool has_accuracy = false;
  std::vector<double> accuracies = {};  // As the name lists them; empty when none can be read.
};
std::optional<TrialName> ParseTrialName(std::string_view directory);

// "baseline", "tune_3": the name of a trial that is still running.
std::string VariantOfTrial(int number);

// The name of a finished trial: numbers as Python prints them, several in brackets. Without
// accuracies, VariantOfTrial.
std::string TrialDirectoryName(int number, std::span<const double> accuracies,
                               TrialNaming naming = TrialNaming::kTensorFlow);

// conv1/Output/int8
std::string OutputTag(std::string_view op, std::string_view precision);

// conv1/weight/int8. PyTorch keeps the weights of a quantized Linear in fc._packed_params; that
// part is left out, so that they stand beside those of the float model: fc/weight/int8.
std::string ParameterTag(std::string_view op, std::string_view parameter,
                         std::string_view precision);

// v0/cg/conv0/Relu_fp32.output: an output of a TensorFlow graph.
std::string NodeOutputTag(std::string_view node, std::string_view precision);

// Groups of operations that quantization turns into one. In such a group only the last output is
// worth comparing, under the name that the group will have: the first operation's, or that of the
// module that holds them.
//
//   fused.Add("conv1", {"conv1.0", "conv1.1"});       // torch.nn.intrinsic.ConvReLU2d
//   fused.Add("conv1", {"conv1", "bn1", "relu1"});    // what fuse_modules will be given
class FusedOps {
 public:
  // `members` in the order in which they run. An operation that is in a group already moves here.
  void Add(std::string group, const std::vector<std::string>& members);

  // The name to log the output of `op` under: its own, the group's for the last member, none for
  // the other members.
  std::optional<std::string> OutputName(std::string_view op) const;

  // The name to log the parameters of `op` under: the group's for conv1.0 of conv1, its own
  // otherwise, since bn1.weight is not conv1.weight.
  std::string ParameterOwner(std::string_view op) const;

 private:
  struct Membership {
    std::string group;
    bool is_last = false;
  };
  std::map<std::string, Membership, std::less<>> members_;
};

}  // namespace cboard::compression
