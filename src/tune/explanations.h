// Why changes were made: cause, gain in dB, added bytes and milliseconds.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "cboard/benchmark/variant.h"
#include "cboard/compare/model_comparison.h"
#include "cboard/tune/tune.h"
#include "tune/end_meter.h"
#include "tune/operator_times.h"

namespace cboard::tune {

// Compares the float model with the first quantized one when it is first needed. A comparison that
// fails leaves causes empty.
class Explanations {
 public:
  // Borrows `times`.
  Explanations(std::filesystem::path baseline, std::filesystem::path quantized,
               benchmark::RunOptions run, OperatorTimes& times, bool is_enabled);

  // A line for each node and tensor that `changes` contain, the largest gain first.
  Result<std::vector<Reverted>> Of(const PlanChanges& changes, EndMeter& meter,
                                   const std::vector<ErrorSource>& sources);

 private:
  void Prepare();

  std::filesystem::path baseline_, quantized_;
  benchmark::RunOptions run_;
  OperatorTimes& times_;
  bool is_enabled_;
  bool is_prepared_ = false;
  std::map<std::string, verdict::Diagnosis> by_name_;  // Nodes and output tensors.
};

}  // namespace cboard::tune
