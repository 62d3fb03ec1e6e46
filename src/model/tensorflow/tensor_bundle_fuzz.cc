// Any bytes as the index of a TensorFlow checkpoint: entries within the data file, or an error.
#include "model/tensorflow/tensor_bundle.h"
#include "model/testing/fuzz_model.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cboard;
  GraphAssembler graph(ModelFormat::kSavedModel,
                       MappedFile::FromMemory(std::string(), "/nonexistent/saved_model.pb"));
  ExternalData files(graph);
  const std::string index(reinterpret_cast<const char*>(data), size);
  files.Provide("v.index", MappedFile::FromMemory(index, "v.index"));
  files.Provide("v.data-00000-of-00001", MappedFile::FromMemory(index, "v.data-00000-of-00001"));
  const Result<TensorBundle> bundle = ReadTensorBundle("v", files, graph);
  if (!bundle) return 0;
  for (const auto& [key, entry] : bundle->entries) Require(entry.data.size() <= size);
  return 0;
}
