// Names in the log of an accuracy-driven tuning: directories, tags, and the operator that
// represents a fused group. docs/tuning.md shows them in a log.
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

// The parsed name of a trial's directory: baseline_acc_0.776 (TensorFlow), baseline_acc0.80
// (PyTorch), tune_1_acc_[0.776] (several metrics since neural-compressor 2), tune_3 (still
// running). tune_0 is the baseline.
struct TrialName {
  int number = 0;  // 0: the baseline.
  bool has_accuracy = false;
  std::vector<double> accuracies = {};  // As listed in the name; empty if none can be parsed.
};
std::optional<TrialName> ParseTrialName(std::string_view directory);

// The name of a trial that is still running: "baseline", "tune_3".
std::string VariantOfTrial(int number);

// The directory name of a finished trial. Numbers are formatted like in Python, and several
// accuracies are in brackets. Without accuracies, the name is that of VariantOfTrial.
std::string TrialDirectoryName(int number, std::span<const double> accuracies,
                               TrialNaming naming = TrialNaming::kTensorFlow);

// The tag of an output: conv1/Output/int8
std::string OutputTag(std::string_view op, std::string_view precision);

// The tag of a parameter: conv1/weight/int8. PyTorch stores the weights of a quantized Linear in
// fc._packed_params; that part is removed, so that the tag is fc/weight/int8, as for the float
// model.
std::string ParameterTag(std::string_view op, std::string_view parameter,
                         std::string_view precision);

// The tag of an output in a TensorFlow graph: v0/cg/conv0/Relu_fp32.output.
std::string NodeOutputTag(std::string_view node, std::string_view precision);

// Groups of operators that quantization fuses into one. Only the last output of a group can be
// compared. It is logged under the name of the fused operator. This is the name of the first
// operator in the group, or of the module that contains the group.
//
//   fused.Add("conv1", {"conv1.0", "conv1.1"});       // torch.nn.intrinsic.ConvReLU2d
//   fused.Add("conv1", {"conv1", "bn1", "relu1"});    // The list for fuse_modules.
class FusedOps {
 public:
  // Adds a fused group; `members` are its operators in the order of execution. An operator that
  // already belongs to another group moves to the new group.
  void Add(std::string group, const std::vector<std::string>& members);

  // The name of the operator `op` in the tags of its output. An operator outside of fused groups
  // keeps its own name. The last operator of a group gets the group's name. All other operators of
  // a group get nullopt.
  std::optional<std::string> OutputName(std::string_view op) const;

  // The name of the operator `op` in the tags of its parameters. The first operator of a fused
  // group, such as conv1.0 in the group conv1, gets the group's name. Other operators keep their
  // own name, so that bn1.weight is not logged as conv1.weight.
  std::string ParameterOwner(std::string_view op) const;

 private:
  struct Membership {
    std::string group;
    bool is_last = false;
  };
  std::map<std::string, Membership, std::less<>> members_;
};

}  // namespace cboard::compression
