// Compares the times of single operators in the float model and in the first quantized model, from
// ONNX Runtime's profiles.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "cboard/base/result.h"
#include "cboard/benchmark/variant.h"

namespace cboard::tune {

class OperatorTimes {
 public:
  // Times that an earlier session has stored, by node. With equal times, a resumed search makes the
  // same decisions.
  using Stored = std::map<std::string, double>;
  using Store = std::function<Result<void>(const std::string& key, double us)>;

  OperatorTimes() = default;
  OperatorTimes(std::filesystem::path baseline, std::filesystem::path quantized,
                benchmark::RunOptions run, Stored stored, Store store);

  // Returns the microseconds that an inference takes longer with the node in float; negative if it
  // is faster in float. nullopt if the profiles do not have the node.
  std::optional<double> AddedUs(const std::string& node);

 private:
  void Prepare();

  std::filesystem::path baseline_, quantized_;
  benchmark::RunOptions run_;
  Stored stored_;
  Store store_;
  bool is_prepared_ = false;
  std::map<std::string, double> float_us_, quantized_us_;
};

}  // namespace cboard::tune
