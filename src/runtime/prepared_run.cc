// Prepared runs, whose time can be measured; and the statistics of a session's allocator.
#include <charconv>
#include <cstring>
#include <deque>
#include <string_view>

#include "cboard/base/check.h"
#include "cboard/base/strings.h"
#include "runtime/session_state.h"

namespace cboard::runtime {

struct PreparedRun::State {
  std::shared_ptr<const OrtLibrary> library;
  ort::Session* session = nullptr;
  std::string doing;  // "run 'model.onnx'"
  // The memory for the elements of the inputs.
  std::deque<std::string> elements;
  std::vector<OrtHandle<ort::Value>> values;

  std::vector<std::string> names;  // Names of inputs, followed by names of outputs.
  std::vector<const char*> input_names, output_names;
  std::vector<const ort::Value*> inputs;
  std::vector<ort::Value*> outputs;

  ~State() { Clear(); }

  void Clear() {
    for (ort::Value*& output : outputs) {
      if (output != nullptr) library->api()[ort::kReleaseValue](output);
      output = nullptr;
    }
  }
};

PreparedRun::PreparedRun(std::unique_ptr<State> state) : state_(std::move(state)) {}
PreparedRun::~PreparedRun() = default;
PreparedRun::PreparedRun(PreparedRun&&) noexcept = default;
PreparedRun& PreparedRun::operator=(PreparedRun&&) noexcept = default;

Result<void> PreparedRun::Run() {
  State& run = *state_;
  run.Clear();
  ort::Status* const status = run.library->api()[ort::kRun](
      run.session, nullptr, run.input_names.data(), run.inputs.data(), run.inputs.size(),
      run.output_names.data(), run.output_names.size(), run.outputs.data());
  if (status == nullptr) return {};
  return run.library->Check(status, run.doing);
}

void PreparedRun::Clear() { state_->Clear(); }

Result<PreparedRun> Session::Prepare(std::span<const NamedTensor> inputs) const {
  auto run = std::make_unique<PreparedRun::State>();
  run->library = state_->library;
  run->session = state_->session.get();
  run->doing = "run " + Quoted(state_->name, 1000);
  std::vector<NamedTensor> owned(inputs.begin(), inputs.end());
  for (NamedTensor& input : owned) {
    CBOARD_ASSIGN_OR_RETURN(const auto plain, tensor::PlainTensor::Of(input.tensor));
    // The strings are longer than needed. Their memory is therefore allocated on the heap and
    // aligned like any new object, and a tensor without elements also has an address.
    constexpr std::size_t kLonger = 64;
    const std::size_t size = plain.view().byte_count();
    std::string& elements = run->elements.emplace_back(size + kLonger, '\0');
    if (size > 0) std::memcpy(elements.data(), plain.view().data, size);
    input.tensor = TensorView(plain.view().dtype, elements.data(), plain.view().shape);
  }
  std::vector<std::string> copies;
  CBOARD_ASSIGN_OR_RETURN(run->values, state_->ToValues(owned, copies));
  CBOARD_CHECK(copies.empty());
  for (const ModelValue& input : state_->inputs) run->names.push_back(input.name);
  for (const auto& [name, held] : state_->held) run->names.push_back(name);
  const std::size_t input_count = run->names.size();
  for (const ModelValue& output : state_->outputs) {
    if (!state_->held.contains(output.name)) run->names.push_back(output.name);
  }
  for (std::size_t i = 0; i < run->names.size(); ++i) {
    (i < input_count ? run->input_names : run->output_names).push_back(run->names[i].c_str());
  }
  for (const auto& value : run->values) run->inputs.push_back(value.get());
  for (const auto& [name, held] : state_->held) run->inputs.push_back(held.value->get());
  run->outputs.resize(run->output_names.size());
  return PreparedRun(std::move(run));
}

Result<std::filesystem::path> Session::EndProfiling() {
  if (!state_->is_profiled) {
    return Fail(ErrorCode::kFailedPrecondition,
                "the profile of " + Quoted(state_->name, 1000) +
                    " cannot be ended, because the session was opened without a profile");
  }
  state_->is_profiled = false;
  const OrtLibrary& library = *state_->library;
  char* file = nullptr;
  CBOARD_RETURN_IF_ERROR(library.Check(
      library.api()[ort::kSessionEndProfiling](state_->session.get(), library.allocator(), &file),
      "end the profile of " + Quoted(state_->name, 1000)));
  std::filesystem::path path(file);
  CBOARD_RETURN_IF_ERROR(library.Check(
      library.api()[ort::kAllocatorFree](library.allocator(), file), "free the name of a profile"));
  return path;
}

Result<std::vector<AllocatorStatistic>> Session::AllocatorStatistics() const {
  const OrtLibrary& library = *state_->library;
  if (!library.IsAtLeast(1, 23)) return std::vector<AllocatorStatistic>();
  const std::string doing = "count the memory of " + Quoted(state_->name, 1000);
  OrtHandle<ort::Allocator> allocator(state_->library, ort::kReleaseAllocator);
  CBOARD_RETURN_IF_ERROR(
      library.Check(library.api()[ort::kCreateAllocator](state_->session.get(),
                                                         library.cpu_memory(), allocator.out()),
                    doing));
  OrtHandle<ort::KeyValuePairs> pairs(state_->library, ort::kReleaseKeyValuePairs);
  CBOARD_RETURN_IF_ERROR(
      library.Check(library.api()[ort::kAllocatorGetStats](allocator.get(), pairs.out()), doing));
  const char* const* names = nullptr;
  const char* const* values = nullptr;
  std::size_t count = 0;
  library.api()[ort::kGetKeyValuePairs](pairs.get(), &names, &values, &count);
  std::vector<AllocatorStatistic> statistics;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view text = values[i];
    std::int64_t value = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
    if (parsed.ec == std::errc()) statistics.push_back({names[i], value});
  }
  return statistics;
}

}  // namespace cboard::runtime
