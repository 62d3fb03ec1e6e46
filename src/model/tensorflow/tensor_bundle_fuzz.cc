// Reads any bytes as the index of a TensorFlow checkpoint: the result is entries within the data
// file, or an error.
#include "model/tensorflow/tensor_bundle.h"
#include "model/testing/fuzz_model.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cboard;
  model::GraphAssembler graph(
      model::ModelFormat::kSavedModel,
      model::MappedFile::FromMemory(std::string(), "/nonexistent/saved_model.pb"));
  model::ExternalData files(graph);
  const std::string index(reinterpret_cast<const char*>(data), size);
  files.Provide("v.index", model::MappedFile::FromMemory(index, "v.index"));
  files.Provide("v.data-00000-of-00001",
                model::MappedFile::FromMemory(index, "v.data-00000-of-00001"));
  const Result<model::TensorBundle> bundle = model::ReadTensorBundle("v", files, graph);
  if (!bundle) return 0;
  for (const auto& [key, entry] : bundle->entries) model::Require(entry.data.size() <= size);
  return 0;
}
