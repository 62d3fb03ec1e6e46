// Runs ONNX models with ONNX Runtime, which is loaded on first use.
//
//   CBOARD_ASSIGN_OR_RETURN(Session session, Session::Open("resnet18.onnx"));
//   const NamedTensor image{"input", TensorView(pixels, {1, 3, 224, 224})};
//   CBOARD_ASSIGN_OR_RETURN(const RunResult result, session.Run({&image, 1}));
//   result.tensors()[0].tensor;  // The first output.
//
// The library is taken from $CB_ONNXRUNTIME_LIB or SessionOptions::library. If neither is set, it
// is searched in the active Python environment, the build directory, Node's packages and the
// system.
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
  // The element type. nullopt for types that TensorView does not support, such as strings and
  // sequences.
  std::optional<DType> dtype;
  std::string type;  // In words, of any type: "float32", "string", "not a tensor".
  // The shape; -1 is a dynamic size. It is empty for a scalar, and also if the rank is unknown.
  std::vector<std::int64_t> shape;
  std::vector<std::string> dimension_names;  // One per dimension; "" for dimensions without a name.
};

// Returns a text with the type and the shape: "float32 [batch, 3, 224, 224]".
std::string Describe(const ModelValue& value);

// A tensor and its name. Borrows the elements.
struct NamedTensor {
  std::string name;
  TensorView tensor;
};

// Path and version of the loaded ONNX Runtime.
struct RuntimeInfo {
  std::filesystem::path library;
  std::string version;
};

// Loads ONNX Runtime and returns its path and version. If it is not found, fails with kNotFound;
// the error says what to install.
Result<RuntimeInfo> FindRuntime(const std::filesystem::path& library = {});

// Lists the execution providers of the library. Their names are those of ONNX Runtime in lower
// case, without "ExecutionProvider": "cpu", "cuda", "openvino".
Result<std::vector<std::string>> FindProviders(const std::filesystem::path& library = {});

// True if $CB_ONNXRUNTIME_LIB is set. Then only this library is used, and no other library is
// searched.
bool IsRuntimeNamed();

struct SessionOptions {
  std::filesystem::path library;  // ONNX Runtime library; empty: search.

  // If true, ONNX Runtime optimizes the graph. It then renames, fuses and removes nodes, so the
  // node outputs are not those of the model file.
  bool optimize = false;

  int threads = 0;  // 0: ONNX Runtime chooses.

  // If true, the memory of results comes from a pool that keeps it for the next run. Set it to
  // false for a session that runs only once: it then uses no more memory than the results need.
  bool pool = true;

  // Folder with the external data of a model that is loaded from memory. Requires ONNX Runtime
  // 1.20.
  std::filesystem::path external_data_folder;

  // The preferred execution provider: one of FindProviders(). Nodes that it does not support run on
  // the CPU.
  std::string provider = "cpu";

  // Start of the path of a file to which ONNX Runtime writes the time of every node. If it is
  // empty, no profile is written. Session::EndProfiling() returns the path of the file.
  std::filesystem::path profile_prefix;

  // File to which ONNX Runtime writes the optimized model. If it is empty, no file is written.
  std::filesystem::path optimized_model;
};

// The outputs of a run. It owns the memory that the tensors refer to.
class RunResult {
 public:
  struct State;
  explicit RunResult(std::unique_ptr<State> state);
  ~RunResult();
  RunResult(RunResult&&) noexcept;
  RunResult& operator=(RunResult&&) noexcept;

  // Returns the output tensors in the requested order, without tensors that TensorView does not
  // support.
  const std::vector<NamedTensor>& tensors() const;

  // Returns the names of the outputs that are not in tensors(): strings, sequences, 4-bit and 8-bit
  // floats.
  const std::vector<std::string>& left_out() const;

  // Finds an output tensor by its name. Returns null if there is none.
  const TensorView* Find(std::string_view name) const;

 private:
  friend class Session;
  std::unique_ptr<State> state_;
};

// A counter of an ONNX Runtime allocator, such as {"MaxInUse", 1048576}.
struct AllocatorStatistic {
  std::string name;
  std::int64_t value = 0;
};

// Inputs that are bound to a session once, for many runs.
//
//   CBOARD_ASSIGN_OR_RETURN(PreparedRun run, session.Prepare(inputs));
//   const auto start = std::chrono::steady_clock::now();
//   CBOARD_RETURN_IF_ERROR(run.Run());
//
// Run() only calls ONNX Runtime, so its time can be measured. Not thread-safe, but several prepared
// runs of one session may run at the same time.
class PreparedRun {
 public:
  struct State;
  explicit PreparedRun(std::unique_ptr<State> state);
  ~PreparedRun();
  PreparedRun(PreparedRun&&) noexcept;
  PreparedRun& operator=(PreparedRun&&) noexcept;

  // Runs the model and computes all outputs that the model declares. They stay in memory until
  // Clear().
  Result<void> Run();

  // Releases the outputs of the last run. Run() also calls this first.
  void Clear();

 private:
  std::unique_ptr<State> state_;
};

// A loaded model. Run() may be called from many threads at once.
class Session {
 public:
  // Loads a model from a file. Fails with kNotFound if the file or the library does not exist, and
  // with ONNX Runtime's error if the model does not load.
  static Result<Session> Open(const std::filesystem::path& model,
                              const SessionOptions& options = {});

  // Loads a model from memory. Errors contain `name`. The caller may free the bytes afterwards.
  static Result<Session> FromBytes(ByteSpan model, std::string name,
                                   const SessionOptions& options = {});

  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;

  const std::vector<ModelValue>& inputs() const;
  const std::vector<ModelValue>& outputs() const;
  const RuntimeInfo& runtime() const;

  // Uses the given tensors as inputs in all later runs. inputs() then no longer lists these inputs.
  // A run that requests them as outputs returns them unchanged. The session shares the memory of
  // the tensors. Must not be called during a run.
  void Hold(const RunResult& tensors);

  // Computes the outputs with these names, or all outputs that the model declares if `outputs` is
  // empty. Inputs are borrowed until Run returns.
  //
  // Fails with kInvalidArgument if an input is missing or unknown, or has the wrong dtype or shape.
  // The error says what the model expects.
  Result<RunResult> Run(std::span<const NamedTensor> inputs,
                        std::span<const std::string> outputs = {}) const;

  // Prepares a run: copies the inputs and checks them like Run(). The session must live longer than
  // the prepared run.
  Result<PreparedRun> Prepare(std::span<const NamedTensor> inputs) const;

  // Writes the profile and returns its path. Fails with kFailedPrecondition if the session was
  // opened without SessionOptions::profile_prefix.
  Result<std::filesystem::path> EndProfiling();

  // Returns the statistics of the session's CPU allocator: NumAllocs, InUse, MaxInUse, … The list
  // is empty before ONNX Runtime 1.23, and if the allocator has no statistics.
  Result<std::vector<AllocatorStatistic>> AllocatorStatistics() const;

 private:
  friend class PreparedRun;
  struct State;
  explicit Session(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace cboard::runtime
