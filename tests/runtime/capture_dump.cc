// Writes what ModelCapture gives to files, for test_capture.py to look at.
//
//   capture_dump MODEL DATA FOLDER [TENSOR…]     DATA "" generates samples
//
// FOLDER/<sample>_<position> holds the elements of a tensor; standard output says what they are,
// and which were computed once for all samples.
#include <cstdio>
#include <string>
#include <vector>

#include "cboard/base/file.h"
#include "cboard/base/json_writer.h"
#include "cboard/runtime/capture.h"

namespace cboard {
namespace {

void Describe(JsonWriter& json, const runtime::NamedTensor& named, const std::string& file) {
  json.BeginObject();
  json.Key("name").Value(named.name);
  json.Key("dtype").Value(NameOf(named.tensor.dtype));
  json.Key("shape").BeginArray();
  for (const std::int64_t size : named.tensor.shape) json.Value(size);
  json.EndArray();
  json.Key("file").Value(file);
  json.EndObject();
}

Result<std::string> Dump(const std::vector<std::string>& arguments) {
  runtime::CaptureOptions options;
  if (arguments.size() > 3) {
    options.tensors = std::vector<std::string>(arguments.begin() + 3, arguments.end());
  }
  CBOARD_ASSIGN_OR_RETURN(const runtime::ModelCapture model,
                          runtime::ModelCapture::Open(arguments[0], options));
  CBOARD_ASSIGN_OR_RETURN(
      const auto samples,
      runtime::OpenSamples(arguments[1], model.session().inputs(), {.max_samples = 4}));
  const std::filesystem::path folder = arguments[2];
  CBOARD_ASSIGN_OR_RETURN(const auto inputs, samples->Read(0));
  CBOARD_ASSIGN_OR_RETURN(const runtime::RunResult one, model.Run(inputs));
  CBOARD_ASSIGN_OR_RETURN(const runtime::RunResult other, model.Run(inputs));
  JsonWriter json;
  json.BeginObject();
  json.Key("held").BeginArray();
  for (std::size_t i = 0; i < one.tensors().size(); ++i) {
    const auto& [name, tensor] = one.tensors()[i];
    if (tensor.data == other.tensors()[i].tensor.data) json.Value(name);
  }
  json.EndArray();
  json.Key("samples").BeginArray();
  const runtime::ModelCapture* models[] = {&model};
  const auto summary = runtime::CaptureSamples(
      *samples, models, [&](const runtime::CapturedSample& sample) -> Result<void> {
        json.BeginArray();
        std::size_t position = 0;
        const auto add = [&](const runtime::NamedTensor& named) -> Result<void> {
          const std::string file = std::to_string(sample.index) + "_" + std::to_string(position++);
          const std::string_view elements(static_cast<const char*>(named.tensor.data),
                                          named.tensor.byte_count());
          CBOARD_RETURN_IF_ERROR(WriteFileAtomically(folder / file, elements));
          Describe(json, named, file);
          return {};
        };
        for (const runtime::NamedTensor& input : sample.inputs) CBOARD_RETURN_IF_ERROR(add(input));
        for (const runtime::NamedTensor& output : sample.results[0].tensors()) {
          CBOARD_RETURN_IF_ERROR(add(output));
        }
        json.EndArray();
        return {};
      });
  if (!summary) return Fail(summary.error());
  json.EndArray();
  json.Key("source").Value(summary->source);
  json.Key("generated").Value(summary->is_generated);
  json.EndObject();
  return json.Take();
}

}  // namespace
}  // namespace cboard

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: capture_dump MODEL DATA FOLDER [TENSOR...]\n");
    return 2;
  }
  const auto text = cboard::Dump({argv + 1, argv + argc});
  if (!text) {
    std::fprintf(stderr, "capture_dump: %s\n", text.error().message.c_str());
    return 1;
  }
  std::puts(text->c_str());
  return 0;
}
