// Runs ONNX models with ONNX Runtime, which is loaded when it is needed.
//
//   CBOARD_ASSIGN_OR_RETURN(Session session, Session::Open("resnet18.onnx"));
//   const NamedTensor image{"input", TensorView(pixels, {1, 3, 224, 224})};
//   CBOARD_ASSIGN_OR_RETURN(const RunResult result, session.Run({&image, 1}));
//   result.tensors()[0].tensor;  // The first output.
//
// The library is the one that $CB_ONNXRUNTIME_LIB or SessionOptions::library names; without these,
// that of an active Python environment, of the build directory, of Node's packages, or the
// system's.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cboard/base/bytes.h"
#include "cboard/base/result.h"
#include "cboard/tensor/tensor_view.h"

namespace cboard::runtime {

// An input or output that a model declares.
struct ModelValue {
  std::string name;
  std::optional<DType> dtype;  // Nothing for types that TensorView has not: strings, sequences, …
  std::string type;            // In words, of any type: "float32", "string", "not a tensor".
  // -1 is a size that is not fixed. A scalar and a value of unknown rank are both empty.
  std::vector<std::int64_t> shape;
  std::vector<std::string> dimension_names;  // As many as sizes; "" for those without one.
};

// "float32 [batch, 3, 224, 224]".
std::string Describe(const ModelValue& value);

// Borrows its elements.
struct NamedTensor {
  std::string name;
  TensorView tensor;
};

// Where ONNX Runtime was found.
struct RuntimeInfo {
  std::filesystem::path library;
  std::string version;
};

// Loads the library. Fails with kNotFound and says what to install.
Result<RuntimeInfo> FindRuntime(const std::filesystem::path& library = {});

// The execution providers that the library was built with, by ONNX Runtime's names without
// "ExecutionProvider", in lower case: "cpu", "cuda", "openvino".
Result<std::vector<std::string>> FindProviders(const std::filesystem::path& library = {});

// $CB_ONNXRUNTIME_LIB names the library, and no other is searched for.
bool IsRuntimeNamed();

struct SessionOptions {
  std::filesystem::path library;  // ONNX Runtime's; empty to search.

  // Graph optimizations rename, fuse and remove nodes, so that outputs of nodes are not what the
  // model file says. Off unless asked for.
  bool optimize = false;

  int threads = 0;  // 0 leaves the choice to ONNX Runtime.

  // Memory for results comes from a pool that keeps what it has got for the next run. Without it,
  // results take no more than they need: for what is run once.
  bool pool = true;

  // For models from bytes: where their external data lies. Needs ONNX Runtime 1.20.
  std::filesystem::path external_data_folder;

  // The execution provider that runs the nodes it supports; one of FindProviders(). The CPU runs
  // the others.
  std::string provider = "cpu";

  // Where ONNX Runtime writes the time of every node; empty for no profile. The file's name begins
  // with this; Session::EndProfiling() returns it.
  std::filesystem::path profile_prefix;

  // Where ONNX Runtime writes the model after its graph optimizations; empty for nowhere.
  std::filesystem::path optimized_model;
};

// Outputs of a run. Owns the memory; tensors are views of it.
class RunResult {
 public:
  struct State;
  explicit RunResult(std::unique_ptr<State> state);
  ~RunResult();
  RunResult(RunResult&&) noexcept;
  RunResult& operator=(RunResult&&) noexcept;

  // In the order asked for, without those that no TensorView can show.
  const std::vector<NamedTensor>& tensors() const;

  // Names of the outputs that are left out: strings, sequences, 4-bit and 8-bit floats.
  const std::vector<std::string>& left_out() const;

  // Null when there is no tensor of this name.
  const TensorView* Find(std::string_view name) const;

 private:
  friend class Session;
  std::unique_ptr<State> state_;
};

// A number that an allocator of ONNX Runtime counts: {"MaxInUse", 1048576}.
struct AllocatorStatistic {
  std::string name;
  std::int64_t value = 0;
};

// Inputs that were given to a session once, to be run many times.
//
//   CBOARD_ASSIGN_OR_RETURN(PreparedRun run, session.Prepare(inputs));
//   const auto start = std::chrono::steady_clock::now();
//   CBOARD_RETURN_IF_ERROR(run.Run());
//
// Run() calls ONNX Runtime and does nothing else, so that it can be timed. Not thread-safe;
// prepared runs of one session may run at the same time.
class PreparedRun {
 public:
  struct State;
  explicit PreparedRun(std::unique_ptr<State> state);
  ~PreparedRun();
  PreparedRun(PreparedRun&&) noexcept;
  PreparedRun& operator=(PreparedRun&&) noexcept;

  // Computes all outputs that the model declares. They stay in memory until Clear().
  Result<void> Run();

  // Releases the outputs of the last run. Run() calls it if it was not called.
  void Clear();

 private:
  std::unique_ptr<State> state_;
};

// A loaded model. Run may be called from many threads at once.
class Session {
 public:
  // Fails with kNotFound when the file or the library is not there, and otherwise with what ONNX
  // Runtime has against the model.
  static Result<Session> Open(const std::filesystem::path& model,
                              const SessionOptions& options = {});

  // `name` is what errors call the model. The bytes are not needed afterwards.
  static Result<Session> FromBytes(ByteSpan model, std::string name,
                                   const SessionOptions& options = {});

  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;

  const std::vector<ModelValue>& inputs() const;
  const std::vector<ModelValue>& outputs() const;
  const RuntimeInfo& runtime() const;

  // Gives these tensors to every run: inputs() are then without those of their names, and where
  // they are asked for as outputs, they come as they are. Shares their memory. Not while runs are
  // under way.
  void Hold(const RunResult& tensors);

  // Computes the named outputs, or all that the model declares when none are named. Inputs are
  // borrowed until Run returns.
  //
  // Fails with kInvalidArgument when an input is missing, unknown, or not of the dtype and shape
  // that the model declares, and says what the model wants.
  Result<RunResult> Run(std::span<const NamedTensor> inputs,
                        std::span<const std::string> outputs = {}) const;

  // Copies the inputs and checks them as Run does. The session must outlive the prepared run.
  Result<PreparedRun> Prepare(std::span<const NamedTensor> inputs) const;

  // Writes the profile and returns its file. Fails with kFailedPrecondition when the session was
  // opened without SessionOptions::profile_prefix.
  Result<std::filesystem::path> EndProfiling();

  // Statistics of the CPU allocator of this session: NumAllocs, InUse, MaxInUse, … Empty before
  // ONNX Runtime 1.23, and for an allocator that does not count.
  Result<std::vector<AllocatorStatistic>> AllocatorStatistics() const;

 private:
  friend class PreparedRun;
  struct State;
  explicit Session(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace cboard::runtime
