#include "cboard/runtime/session.h"

#include <deque>
#include <unordered_map>
#include <utility>

#include "cboard/base/strings.h"
#include "cboard/proto/onnx.h"
#include "runtime/model_values.h"
#include "runtime/providers.h"
#include "runtime/sample_sources.h"
#include "runtime/session_state.h"

namespace cboard::runtime {

bool IsRuntimeNamed() { return !NamedLibrary().empty(); }

Result<RuntimeInfo> FindRuntime(const std::filesystem::path& library) {
  CBOARD_ASSIGN_OR_RETURN(const auto loaded, OrtLibrary::Load(library));
  return RuntimeInfo{loaded->path(), loaded->version()};
}

RunResult::RunResult(std::unique_ptr<State> state) : state_(std::move(state)) {
  for (std::size_t i = 0; i < state_->tensors.size(); ++i) {
    state_->by_name.emplace(state_->tensors[i].name, i);
  }
}
RunResult::~RunResult() = default;
RunResult::RunResult(RunResult&&) noexcept = default;
RunResult& RunResult::operator=(RunResult&&) noexcept = default;

const std::vector<NamedTensor>& RunResult::tensors() const { return state_->tensors; }
const std::vector<std::string>& RunResult::left_out() const { return state_->left_out; }

const TensorView* RunResult::Find(std::string_view name) const {
  const auto found = state_->by_name.find(name);
  return found == state_->by_name.end() ? nullptr : &state_->tensors[found->second].tensor;
}

Result<std::unique_ptr<Session::State>> Session::State::Load(std::string name,
                                                             const SessionOptions& options,
                                                             ByteSpan model,
                                                             const std::filesystem::path* path) {
  CBOARD_ASSIGN_OR_RETURN(auto library, OrtLibrary::Load(options.library));
  auto state = std::make_unique<State>();
  state->library = library;
  state->runtime = {library->path(), library->version()};
  state->name = std::move(name);
  const ort::Api& api = library->api();
  const std::string doing = "load " + Quoted(state->name, 1000);
  OrtHandle<ort::SessionOptions> settings(library, ort::kReleaseSessionOptions);
  CBOARD_RETURN_IF_ERROR(library->Check(api[ort::kCreateSessionOptions](settings.out()), doing));
  CBOARD_RETURN_IF_ERROR(library->Check(
      api[ort::kSetSessionGraphOptimizationLevel](settings.get(), options.optimize
                                                                      ? ort::kEnableAllOptimizations
                                                                      : ort::kDisableOptimizations),
      doing));
  CBOARD_RETURN_IF_ERROR(
      library->Check(api[ort::kSetIntraOpNumThreads](settings.get(), options.threads), doing));
  if (!options.pool) {
    CBOARD_RETURN_IF_ERROR(library->Check(api[ort::kDisableCpuMemArena](settings.get()), doing));
  }
  if (!options.external_data_folder.empty()) {
    if (!library->IsAtLeast(1, 20)) {
      return Fail(ErrorCode::kFailedPrecondition,
                  Quoted(state->name, 1000) +
                      " stores its weights in separate files; to read them, install ONNX Runtime "
                      "1.20 or newer instead of " +
                      library->version());
    }
    CBOARD_RETURN_IF_ERROR(library->Check(
        api[ort::kAddSessionConfigEntry](settings.get(),
                                         "session.model_external_initializers_file_folder_path",
                                         options.external_data_folder.c_str()),
        doing));
  }
  CBOARD_RETURN_IF_ERROR(AddProvider(*library, options.provider, settings.get()));
  if (!options.profile_prefix.empty()) {
    CBOARD_RETURN_IF_ERROR(library->Check(
        api[ort::kEnableProfiling](settings.get(), options.profile_prefix.c_str()), doing));
    state->is_profiled = true;
  }
  if (!options.optimized_model.empty()) {
    CBOARD_RETURN_IF_ERROR(library->Check(
        api[ort::kSetOptimizedModelFilePath](settings.get(), options.optimized_model.c_str()),
        doing));
  }
  state->session = OrtHandle<ort::Session>(library, ort::kReleaseSession);
  ort::Status* const status =
      path != nullptr
          ? api[ort::kCreateSession](library->env(), path->c_str(), settings.get(),
                                     state->session.out())
          : api[ort::kCreateSessionFromArray](library->env(), model.data(), model.size(),
                                              settings.get(), state->session.out());
  CBOARD_RETURN_IF_ERROR(library->Check(status, doing));
  CBOARD_ASSIGN_OR_RETURN(state->inputs, InputsOf(library, state->session.get()));
  CBOARD_ASSIGN_OR_RETURN(state->outputs, OutputsOf(library, state->session.get()));
  return state;
}

Session::Session(std::unique_ptr<State> state) : state_(std::move(state)) {}
Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

const std::vector<ModelValue>& Session::inputs() const { return state_->inputs; }
const std::vector<ModelValue>& Session::outputs() const { return state_->outputs; }
const RuntimeInfo& Session::runtime() const { return state_->runtime; }

Result<Session> Session::Open(const std::filesystem::path& model, const SessionOptions& options) {
  CBOARD_ASSIGN_OR_RETURN(auto state, State::Load(model.string(), options, {}, &model));
  return Session(std::move(state));
}

Result<Session> Session::FromBytes(ByteSpan model, std::string name,
                                   const SessionOptions& options) {
  CBOARD_ASSIGN_OR_RETURN(auto state, State::Load(std::move(name), options, model, nullptr));
  return Session(std::move(state));
}

Result<std::vector<OrtHandle<ort::Value>>> Session::State::ToValues(
    std::span<const NamedTensor> tensors, std::vector<std::string>& copies) const {
  std::unordered_map<std::string_view, const TensorView*> given;
  for (const NamedTensor& input : tensors) given.emplace(input.name, &input.tensor);
  copies.reserve(copies.size() + 2 * tensors.size());
  std::vector<OrtHandle<ort::Value>> values;
  for (const ModelValue& wanted : inputs) {
    const auto found = given.find(wanted.name);
    if (found == given.end()) {
      return Fail(ErrorCode::kInvalidArgument,
                  "input " + Quoted(wanted.name) + " of " + Quoted(name, 1000) +
                      " has no value; the model needs " + ListOf(inputs));
    }
    TensorView tensor = *found->second;
    CBOARD_RETURN_IF_ERROR(tensor.Validate());
    // Converts float32 inputs if the model needs float16, so that a float16 version of a model
    // accepts the same samples.
    const bool is_narrower = wanted.dtype == DType::kFloat16 || wanted.dtype == DType::kBfloat16;
    if (is_narrower && tensor.dtype == DType::kFloat32) {
      CBOARD_ASSIGN_OR_RETURN(const OwnedTensor converted, ConvertTo(*wanted.dtype, tensor));
      const auto* bytes = reinterpret_cast<const char*>(converted.elements.data());
      tensor =
          TensorView(*wanted.dtype, copies.emplace_back(bytes, converted.elements.size()).data(),
                     tensor.shape);
    }
    CBOARD_ASSIGN_OR_RETURN(const auto plain, tensor::PlainTensor::Of(tensor));
    CBOARD_RETURN_IF_ERROR(CheckInput(wanted, plain.view()));
    CBOARD_ASSIGN_OR_RETURN(auto value, ToValue(plain, copies));
    values.push_back(std::move(value));
    given.erase(found);
  }
  if (!given.empty()) {
    return Fail(ErrorCode::kInvalidArgument, Quoted(name, 1000) + " has no input " +
                                                 Quoted(given.begin()->first) +
                                                 "; the model needs " + ListOf(inputs));
  }
  return values;
}

// Returns an ONNX Runtime value that borrows the memory of the tensor. If this memory is not
// aligned or belongs to `plain`, it is copied to `copies`, and the value borrows the copy.
Result<OrtHandle<ort::Value>> Session::State::ToValue(const tensor::PlainTensor& plain,
                                                      std::vector<std::string>& copies) const {
  const TensorView& tensor = plain.view();
  const std::size_t size = tensor.byte_count();
  const char* data = static_cast<const char*>(tensor.data);
  if (plain.is_copy() || reinterpret_cast<std::uintptr_t>(data) % SizeOf(tensor.dtype) != 0) {
    data = copies.emplace_back(data, size).data();
  }
  // The const_cast is safe: a session does not write to its inputs.
  void* const elements = size == 0 ? nullptr : const_cast<char*>(data);  // NOLINT
  static char nothing = 0;  // Supplies an address for tensors without elements.
  OrtHandle<ort::Value> value(library, ort::kReleaseValue);
  CBOARD_RETURN_IF_ERROR(library->Check(
      library->api()[ort::kCreateTensorWithDataAsOrtValue](
          library->cpu_memory(), elements == nullptr ? &nothing : elements, size,
          tensor.shape.data(), tensor.shape.size(), proto::OnnxTypeOf(tensor.dtype), value.out()),
      "take an input"));
  return value;
}

Result<void> Session::State::ReadOutput(std::string output, OrtHandle<ort::Value> value,
                                        RunResult::State& result) const {
  constexpr std::string_view kDoing = "read an output";
  const ort::Api& api = library->api();
  int is_tensor = 0;
  if (value.get() != nullptr) {
    CBOARD_RETURN_IF_ERROR(library->Check(api[ort::kIsTensor](value.get(), &is_tensor), kDoing));
  }
  if (is_tensor == 0) {
    result.left_out.push_back(std::move(output));
    return {};
  }
  OrtHandle<ort::TensorInfo> info(library, ort::kReleaseTensorTypeAndShapeInfo);
  CBOARD_RETURN_IF_ERROR(
      library->Check(api[ort::kGetTensorTypeAndShape](value.get(), info.out()), kDoing));
  ModelValue described;
  CBOARD_RETURN_IF_ERROR(ReadTensorInfo(library, info.get(), described));
  if (!described.dtype) {
    result.left_out.push_back(std::move(output));
    return {};
  }
  void* data = nullptr;
  CBOARD_RETURN_IF_ERROR(
      library->Check(api[ort::kGetTensorMutableData](value.get(), &data), kDoing));
  result.tensors.push_back(
      {std::move(output), TensorView(*described.dtype, data, std::move(described.shape))});
  result.values.push_back(std::make_shared<const OrtHandle<ort::Value>>(std::move(value)));
  return {};
}

void Session::Hold(const RunResult& tensors) {
  const RunResult::State& from = *tensors.state_;
  for (std::size_t i = 0; i < from.tensors.size(); ++i) {
    state_->held.insert_or_assign(from.tensors[i].name,
                                  State::HeldTensor{from.tensors[i].tensor, from.values[i]});
  }
  std::erase_if(state_->inputs,
                [&](const ModelValue& input) { return state_->held.contains(input.name); });
}

Result<RunResult> Session::Run(std::span<const NamedTensor> inputs,
                               std::span<const std::string> outputs) const {
  const State& state = *state_;
  std::vector<std::string> copies;
  CBOARD_ASSIGN_OR_RETURN(const auto values, state.ToValues(inputs, copies));
  std::vector<const ort::Value*> input_values;
  std::vector<const char*> input_names;
  for (std::size_t i = 0; i < values.size(); ++i) {
    input_values.push_back(values[i].get());
    input_names.push_back(state.inputs[i].name.c_str());
  }
  for (const auto& [name, held] : state.held) {
    input_values.push_back(held.value->get());
    input_names.push_back(name.c_str());
  }

  std::vector<std::string> names(outputs.begin(), outputs.end());
  if (names.empty()) {
    for (const ModelValue& output : state.outputs) names.push_back(output.name);
  }
  std::vector<const char*> output_names;
  for (const std::string& name : names) {
    if (!state.held.contains(name)) output_names.push_back(name.c_str());
  }
  std::vector<ort::Value*> raw(output_names.size());
  ort::Status* status = nullptr;
  if (!output_names.empty()) {
    status = state.library->api()[ort::kRun](state.session.get(), nullptr, input_names.data(),
                                             input_values.data(), input_values.size(),
                                             output_names.data(), output_names.size(), raw.data());
  }
  std::deque<OrtHandle<ort::Value>> owned;
  for (ort::Value* value : raw) {
    *owned.emplace_back(state.library, ort::kReleaseValue).out() = value;
  }
  CBOARD_RETURN_IF_ERROR(state.library->Check(status, "run " + Quoted(state.name, 1000)));
  auto result = std::make_unique<RunResult::State>();
  for (std::string& name : names) {
    if (const auto held = state.held.find(name); held != state.held.end()) {
      result->tensors.push_back({std::move(name), held->second.tensor});
      result->values.push_back(held->second.value);
      continue;
    }
    CBOARD_RETURN_IF_ERROR(state.ReadOutput(std::move(name), std::move(owned.front()), *result));
    owned.pop_front();
  }
  return RunResult(std::move(result));
}

}  // namespace cboard::runtime
