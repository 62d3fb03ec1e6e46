#include "cboard/runtime/session.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "cboard/base/strings.h"
#include "runtime/element_types.h"
#include "runtime/ort_library.h"

namespace cboard {
namespace {

using Library = std::shared_ptr<const OrtLibrary>;

// The dtype and the shape that `info` tells; its names of sizes, too.
Result<void> ReadTensorInfo(const Library& library, const ort::TensorInfo* info,
                            ModelValue& value) {
  constexpr std::string_view kDoing = "describe a tensor";
  const ort::Api& api = library->api();
  int element_type = 0;
  CBOARD_RETURN_IF_ERROR(
      library->Check(api[ort::kGetTensorElementType](info, &element_type), kDoing));
  value.dtype = DTypeOfElement(element_type);
  value.type = NameOfElement(element_type);
  std::size_t rank = 0;
  CBOARD_RETURN_IF_ERROR(library->Check(api[ort::kGetDimensionsCount](info, &rank), kDoing));
  value.shape.resize(rank);
  CBOARD_RETURN_IF_ERROR(
      library->Check(api[ort::kGetDimensions](info, value.shape.data(), rank), kDoing));
  std::vector<const char*> names(rank);
  CBOARD_RETURN_IF_ERROR(
      library->Check(api[ort::kGetSymbolicDimensions](info, names.data(), rank), kDoing));
  for (const char* name : names) value.dimension_names.emplace_back(name == nullptr ? "" : name);
  return {};
}

template <typename GetCount, typename GetName, typename GetType>
Result<std::vector<ModelValue>> ReadValues(const Library& library, const ort::Session* session,
                                           GetCount get_count, GetName get_name, GetType get_type) {
  constexpr std::string_view kDoing = "list inputs and outputs";
  const ort::Api& api = library->api();
  std::size_t count = 0;
  CBOARD_RETURN_IF_ERROR(library->Check(api[get_count](session, &count), kDoing));
  std::vector<ModelValue> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    char* name = nullptr;
    CBOARD_RETURN_IF_ERROR(
        library->Check(api[get_name](session, i, library->allocator(), &name), kDoing));
    values[i].name = name;
    CBOARD_RETURN_IF_ERROR(
        library->Check(api[ort::kAllocatorFree](library->allocator(), name), kDoing));
    OrtHandle<ort::TypeInfo> type(library, ort::kReleaseTypeInfo);
    CBOARD_RETURN_IF_ERROR(library->Check(api[get_type](session, i, type.out()), kDoing));
    const ort::TensorInfo* info = nullptr;
    CBOARD_RETURN_IF_ERROR(
        library->Check(api[ort::kCastTypeInfoToTensorInfo](type.get(), &info), kDoing));
    if (info == nullptr) {
      values[i].type = "not a tensor";
    } else {
      CBOARD_RETURN_IF_ERROR(ReadTensorInfo(library, info, values[i]));
    }
  }
  return values;
}

std::string ListOf(std::span<const ModelValue> values) {
  std::string text;
  for (const ModelValue& value : values) {
    text += (text.empty() ? "" : ", ") + Quoted(value.name) + " " + Describe(value);
  }
  return text.empty() ? "nothing" : text;
}

// Whether a tensor is what the model declares.
Result<void> CheckInput(const ModelValue& wanted, const TensorView& given) {
  ModelValue described{.type = std::string(NameOf(given.dtype)), .shape = given.shape};
  const auto mismatch = [&] {
    return Fail(ErrorCode::kInvalidArgument, "input " + Quoted(wanted.name) + " is " +
                                                 Describe(described) + " but the model wants " +
                                                 Describe(wanted));
  };
  if (wanted.dtype != given.dtype) return mismatch();
  if (wanted.shape.empty()) return {};
  if (wanted.shape.size() != given.shape.size()) return mismatch();
  for (std::size_t i = 0; i < given.shape.size(); ++i) {
    if (wanted.shape[i] >= 0 && wanted.shape[i] != given.shape[i]) return mismatch();
  }
  return {};
}

}  // namespace

std::string Describe(const ModelValue& value) {
  std::string text = value.type + " [";
  for (std::size_t i = 0; i < value.shape.size(); ++i) {
    if (i > 0) text += ", ";
    if (value.shape[i] >= 0) {
      text += std::to_string(value.shape[i]);
    } else {
      const bool named = i < value.dimension_names.size() && !value.dimension_names[i].empty();
      text += named ? ToValidUtf8(value.dimension_names[i]) : "?";
    }
  }
  return text + "]";
}

bool IsRuntimeNamed() { return !NamedLibrary().empty(); }

Result<RuntimeInfo> FindRuntime(const std::filesystem::path& library) {
  CBOARD_ASSIGN_OR_RETURN(const Library loaded, OrtLibrary::Load(library));
  return RuntimeInfo{loaded->path(), loaded->version()};
}

struct RunResult::State {
  std::vector<OrtHandle<ort::Value>> values;
  std::vector<NamedTensor> tensors;
  std::unordered_map<std::string_view, std::size_t> by_name;
  std::vector<std::string> left_out;
};

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

struct Session::State {
  Library library;
  RuntimeInfo runtime;
  std::string name;
  OrtHandle<ort::Session> session;
  std::vector<ModelValue> inputs;
  std::vector<ModelValue> outputs;

  static Result<std::unique_ptr<State>> Load(std::string name, const SessionOptions& options,
                                             ByteSpan model, const std::filesystem::path* path);
  Result<OrtHandle<ort::Value>> ToValue(const TensorView& tensor,
                                        std::vector<std::string>& copies) const;
  Result<void> ReadOutput(std::string name, OrtHandle<ort::Value> value,
                          RunResult::State& result) const;
};

Result<std::unique_ptr<Session::State>> Session::State::Load(std::string name,
                                                             const SessionOptions& options,
                                                             ByteSpan model,
                                                             const std::filesystem::path* path) {
  CBOARD_ASSIGN_OR_RETURN(Library library, OrtLibrary::Load(options.library));
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
  if (!options.external_data_folder.empty()) {
    if (!library->IsAtLeast(1, 20)) {
      return Fail(ErrorCode::kFailedPrecondition,
                  Quoted(state->name, 1000) +
                      " keeps weights in files of their own; reading these for a capture needs "
                      "ONNX Runtime 1.20 or newer, this is " +
                      library->version());
    }
    CBOARD_RETURN_IF_ERROR(library->Check(
        api[ort::kAddSessionConfigEntry](settings.get(),
                                         "session.model_external_initializers_file_folder_path",
                                         options.external_data_folder.c_str()),
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
  CBOARD_ASSIGN_OR_RETURN(state->inputs,
                          ReadValues(library, state->session.get(), ort::kSessionGetInputCount,
                                     ort::kSessionGetInputName, ort::kSessionGetInputTypeInfo));
  CBOARD_ASSIGN_OR_RETURN(state->outputs,
                          ReadValues(library, state->session.get(), ort::kSessionGetOutputCount,
                                     ort::kSessionGetOutputName, ort::kSessionGetOutputTypeInfo));
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

// A value that borrows the tensor's memory, or a copy of it in `copies` where it is not aligned.
Result<OrtHandle<ort::Value>> Session::State::ToValue(const TensorView& tensor,
                                                      std::vector<std::string>& copies) const {
  const std::size_t element_size = SizeOf(tensor.dtype);
  const std::size_t size = tensor.element_count() * element_size;
  const char* data = static_cast<const char*>(tensor.data);
  if (reinterpret_cast<std::uintptr_t>(data) % element_size != 0) {
    data = copies.emplace_back(data, size).data();
  }
  // Not written to: inputs are constant to a session.
  void* const elements = size == 0 ? nullptr : const_cast<char*>(data);  // NOLINT
  static char nothing = 0;  // An address for tensors without elements.
  OrtHandle<ort::Value> value(library, ort::kReleaseValue);
  CBOARD_RETURN_IF_ERROR(library->Check(
      library->api()[ort::kCreateTensorWithDataAsOrtValue](
          library->cpu_memory(), elements == nullptr ? &nothing : elements, size,
          tensor.shape.data(), tensor.shape.size(), ElementOf(tensor.dtype), value.out()),
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
  result.values.push_back(std::move(value));
  return {};
}

Result<RunResult> Session::Run(std::span<const NamedTensor> inputs,
                               std::span<const std::string> outputs) const {
  const State& state = *state_;
  std::unordered_map<std::string_view, const TensorView*> given;
  for (const NamedTensor& input : inputs) given.emplace(input.name, &input.tensor);
  std::vector<std::string> copies;
  copies.reserve(inputs.size());
  std::vector<OrtHandle<ort::Value>> values;
  std::vector<const ort::Value*> input_values;
  std::vector<const char*> input_names;
  for (const ModelValue& wanted : state.inputs) {
    const auto found = given.find(wanted.name);
    if (found == given.end()) {
      return Fail(ErrorCode::kInvalidArgument,
                  "input " + Quoted(wanted.name) + " of " + Quoted(state.name, 1000) +
                      " is missing; the model wants " + ListOf(state.inputs));
    }
    const TensorView& tensor = *found->second;
    CBOARD_RETURN_IF_ERROR(tensor.Validate());
    CBOARD_RETURN_IF_ERROR(CheckInput(wanted, tensor));
    CBOARD_ASSIGN_OR_RETURN(auto value, state.ToValue(tensor, copies));
    values.push_back(std::move(value));
    input_values.push_back(values.back().get());
    input_names.push_back(wanted.name.c_str());
    given.erase(found);
  }
  if (!given.empty()) {
    return Fail(ErrorCode::kInvalidArgument, Quoted(state.name, 1000) + " has no input " +
                                                 Quoted(given.begin()->first) +
                                                 "; the model wants " + ListOf(state.inputs));
  }

  std::vector<std::string> names(outputs.begin(), outputs.end());
  if (names.empty()) {
    for (const ModelValue& output : state.outputs) names.push_back(output.name);
  }
  std::vector<const char*> output_names;
  for (const std::string& name : names) output_names.push_back(name.c_str());
  std::vector<ort::Value*> raw(names.size());
  ort::Status* const status = state.library->api()[ort::kRun](
      state.session.get(), nullptr, input_names.data(), input_values.data(), input_values.size(),
      output_names.data(), output_names.size(), raw.data());
  auto result = std::make_unique<RunResult::State>();
  std::vector<OrtHandle<ort::Value>> owned;
  for (ort::Value* value : raw) {
    *owned.emplace_back(state.library, ort::kReleaseValue).out() = value;
  }
  CBOARD_RETURN_IF_ERROR(state.library->Check(status, "run " + Quoted(state.name, 1000)));
  for (std::size_t i = 0; i < names.size(); ++i) {
    CBOARD_RETURN_IF_ERROR(state.ReadOutput(std::move(names[i]), std::move(owned[i]), *result));
  }
  return RunResult(std::move(result));
}

}  // namespace cboard
