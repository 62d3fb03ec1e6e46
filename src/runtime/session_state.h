// The members of a session. Several source files use them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cboard/runtime/session.h"
#include "cboard/tensor/convert.h"
#include "runtime/ort_library.h"

namespace cboard::runtime {

using OrtTensor = std::shared_ptr<const OrtHandle<ort::Value>>;

struct RunResult::State {
  std::vector<NamedTensor> tensors;
  std::vector<OrtTensor> values;  // One per tensor; owns the tensor's memory.
  std::unordered_map<std::string_view, std::size_t> by_name;
  std::vector<std::string> left_out;
};

struct Session::State {
  std::shared_ptr<const OrtLibrary> library;
  RuntimeInfo runtime;
  std::string name;
  OrtHandle<ort::Session> session;
  std::vector<ModelValue> inputs;
  std::vector<ModelValue> outputs;
  bool is_profiled = false;  // True until EndProfiling() is called, if profiling is on.
  struct HeldTensor {
    TensorView tensor;
    OrtTensor value;
  };
  std::unordered_map<std::string, HeldTensor> held;

  static Result<std::unique_ptr<State>> Load(std::string name, const SessionOptions& options,
                                             ByteSpan model, const std::filesystem::path* path);
  // Returns the values of the declared inputs, in the order of declaration. Fails like
  // Session::Run.
  Result<std::vector<OrtHandle<ort::Value>>> ToValues(std::span<const NamedTensor> given,
                                                      std::vector<std::string>& copies) const;
  Result<OrtHandle<ort::Value>> ToValue(const tensor::PlainTensor& plain,
                                        std::vector<std::string>& copies) const;
  Result<void> ReadOutput(std::string name, OrtHandle<ort::Value> value,
                          RunResult::State& result) const;
};

}  // namespace cboard::runtime
