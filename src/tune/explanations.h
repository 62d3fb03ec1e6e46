// Explains why changes were made: cause, gain in dB, added bytes and added milliseconds.
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

// Explains changes by comparing the float model with the first quantized model. The comparison runs
// when it is first needed. If it fails, explanations have no cause.
class Explanations {
 public:
  // Borrows `times`. Nothing is compared yet.
  Explanations(std::filesystem::path baseline, std::filesystem::path quantized,
               benchmark::RunOptions run, OperatorTimes& times, bool is_enabled);

  // Returns an explanation for each node and tensor in `changes`, the largest gain first.
  Result<std::vector<Reverted>> Of(const PlanChanges& changes, EndMeter& meter,
                                   const std::vector<ErrorSource>& sources);

 private:
  void Prepare();

  std::filesystem::path baseline_, quantized_;
  benchmark::RunOptions run_;
  OperatorTimes& times_;
  bool is_enabled_;
  bool is_prepared_ = false;
  std::map<std::string, verdict::Diagnosis> by_name_;  // By name of node or output tensor.
};

}  // namespace cboard::tune
