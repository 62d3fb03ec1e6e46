#include "cboard/runtime/capture.h"

#include <unistd.h>

#include <algorithm>
#include <system_error>

#include "base/guarded_mapping.h"
#include "cboard/base/file.h"
#include "cboard/base/strings.h"
#include "cboard/proto/onnx.h"
#include "model/storage/mapped_file.h"
#include "runtime/constant_part.h"
#include "runtime/graph_outputs.h"

namespace cboard::runtime {
namespace {

namespace fs = std::filesystem;

// Checks symbolic links. The names of external files were checked when the model was read, but a
// link may still lead out of the folder.
Result<void> CheckExternalFiles(const fs::path& folder, std::span<const std::string> files) {
  std::error_code error;
  const fs::path inside = fs::canonical(folder, error);
  for (const std::string& file : files) {
    const fs::path target = fs::canonical(folder / file, error);
    if (error) {
      return Fail(ErrorCode::kNotFound, "a file with weights of the model is missing: " +
                                            Quoted((folder / file).string(), 1000) + ": " +
                                            error.message());
    }
    const fs::path relative = target.lexically_relative(inside);
    if (relative.empty() || *relative.begin() == "..") {
      return Fail(ErrorCode::kPermissionDenied,
                  "the weight file " + Quoted((folder / file).string(), 1000) +
                      " is outside of the model's directory; move the file there");
    }
  }
  return {};
}

// Guards the external files that ONNX Runtime maps, as long as the session lives. Without a guard,
// the process would end if it reads a file that another program has truncated. The caller's
// ModelGraph notices such a change with its own mapping.
Result<std::shared_ptr<const void>> GuardExternalFiles(const fs::path& folder,
                                                       std::span<const std::string> files) {
  auto guards = std::make_shared<std::vector<std::unique_ptr<GuardedMapping>>>();
  for (const std::string& file : files) {
    CBOARD_ASSIGN_OR_RETURN(const File opened, File::OpenForReading(folder / file));
    CBOARD_ASSIGN_OR_RETURN(const std::uint64_t size, opened.Size());
    if (size == 0) continue;
    auto guard = GuardedMapping::Map(opened.descriptor(), static_cast<std::size_t>(size));
    if (guard != nullptr && guard->GuardOthers()) guards->push_back(std::move(guard));
  }
  return guards;
}

std::size_t MaxConstantBytes() {
  const long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGE_SIZE);
  if (pages <= 0 || page_bytes <= 0) return 0;
  return static_cast<std::size_t>(pages) * static_cast<std::size_t>(page_bytes) / 4;
}

// Runs the part of the model that is the same in all runs once, and opens a session with the rest.
// Returns nullopt if there is no such part, or if it cannot run separately. The caller then runs
// the whole model, which reports the reason if it fails too.
std::optional<Session> OpenWithConstants(std::string_view model, const std::string& name,
                                         std::span<const std::string> tensors,
                                         std::size_t max_bytes, const SessionOptions& options) {
  auto part = FindConstantPart(model, tensors, max_bytes);
  if (!part || part->outputs.empty()) return std::nullopt;
  SessionOptions once = options;
  once.pool = false;
  const auto computed = [&]() -> Result<RunResult> {
    CBOARD_ASSIGN_OR_RETURN(const Session session,
                            Session::FromBytes(AsBytes(part->model), name, once));
    part->model = {};  // As large as the weights; the session has its own copy.
    return session.Run({}, part->outputs);
  }();
  if (!computed || !computed->left_out().empty()) return std::nullopt;
  GraphEdits edits{.removed = std::move(part->removed)};
  for (const auto& [input, tensor] : computed->tensors()) {
    edits.inputs.push_back({input, proto::OnnxTypeOf(tensor.dtype), tensor.shape});
  }
  auto rest = EditGraph(model, edits);
  if (!rest) return std::nullopt;
  std::vector<std::string> others;
  for (const std::string& tensor : tensors) {
    if (computed->Find(tensor) == nullptr) others.push_back(tensor);
  }
  auto with_outputs = AddGraphOutputs(*rest, others);
  if (!with_outputs) return std::nullopt;
  *rest = {};
  auto session = Session::FromBytes(AsBytes(with_outputs->bytes), name, options);
  if (!session) return std::nullopt;
  session->Hold(*computed);
  return *std::move(session);
}

}  // namespace

Result<ModelCapture> ModelCapture::Open(const fs::path& model, const CaptureOptions& options) {
  const std::string shown = Quoted(model.string(), 1000);
  CBOARD_ASSIGN_OR_RETURN(const auto file, model::MappedFile::Open(model));
  std::string edited;
  std::string_view bytes = file->text();
  if (!options.edits.empty()) {
    auto result = EditGraph(bytes, options.edits);
    if (!result) return Fail(Annotate(std::move(result).error(), shown));
    edited = *std::move(result);
    bytes = edited;
  }
  std::optional<std::span<const std::string>> names;
  if (options.tensors) names = *options.tensors;
  auto outputs = FindGraphOutputs(bytes, names);
  if (!outputs) return Fail(Annotate(std::move(outputs).error(), shown));
  SessionOptions session_options = options.session;
  std::shared_ptr<const void> guards;
  if (!outputs->external_files.empty()) {
    const fs::path folder = model.has_parent_path() ? model.parent_path() : fs::path(".");
    auto checked = CheckExternalFiles(folder, outputs->external_files);
    if (!checked) return Fail(Annotate(std::move(checked).error(), shown));
    session_options.external_data_folder = folder;
    CBOARD_ASSIGN_OR_RETURN(guards, GuardExternalFiles(folder, outputs->external_files));
  }
  if (!session_options.optimize) {
    auto session =
        OpenWithConstants(bytes, model.string(), outputs->tensors,
                          options.max_constant_bytes.value_or(MaxConstantBytes()), session_options);
    if (session) {
      return ModelCapture(model, *std::move(session), std::move(outputs->tensors),
                          std::move(guards));
    }
  }
  CBOARD_ASSIGN_OR_RETURN(const ModelWithOutputs with_outputs, AddGraphOutputs(bytes, names));
  CBOARD_ASSIGN_OR_RETURN(Session session, Session::FromBytes(AsBytes(with_outputs.bytes),
                                                              model.string(), session_options));
  return ModelCapture(model, std::move(session), std::move(outputs->tensors), std::move(guards));
}

Result<CaptureSummary> CaptureSamples(
    SampleSource& samples, std::span<const ModelCapture* const> models,
    const std::function<Result<void>(const CapturedSample&)>& visit,
    const std::function<bool(std::size_t done, std::size_t total)>& progress) {
  CaptureSummary summary{.source = samples.Description(), .is_generated = samples.is_generated()};
  const std::size_t total = samples.size();
  const auto where = [&](std::size_t index) { return "sample " + std::to_string(index); };
  while (summary.samples < total) {
    const std::size_t index = summary.samples;
    auto inputs = samples.Read(index);
    if (!inputs) return Fail(Annotate(std::move(inputs).error(), where(index)));
    std::vector<RunResult> results;
    for (const ModelCapture* model : models) {
      // Removes inputs that the model does not have: tools that simplify a model remove unused
      // inputs.
      std::vector<NamedTensor> known = *inputs;
      std::erase_if(known, [&](const NamedTensor& input) {
        return model != models[0] &&
               std::ranges::find(model->session().inputs(), input.name, &ModelValue::name) ==
                   model->session().inputs().end();
      });
      auto result = model->Run(known);
      if (!result) return Fail(Annotate(std::move(result).error(), where(index)));
      results.push_back(*std::move(result));
    }
    CBOARD_RETURN_IF_ERROR(visit({index, *inputs, results}));
    ++summary.samples;
    if (progress && !progress(summary.samples, total)) {
      summary.is_stopped = summary.samples < total;
      break;
    }
  }
  return summary;
}

}  // namespace cboard::runtime
