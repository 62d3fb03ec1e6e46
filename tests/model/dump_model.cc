// dump_model FILE [DIRECTORY [INPUT=SIZES ...]]: prints what OpenModel finds as JSON, and writes
// the real values of every weight to DIRECTORY/<tensor number>.f32. For oracles that know the
// format by other means.
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "cboard/base/file.h"
#include "cboard/base/json_writer.h"
#include "cboard/model/model_graph.h"
#include "cli/reports/node_json.h"

namespace cboard {
namespace {

template <typename Number>
void WriteNumbers(const std::vector<Number>& numbers, JsonWriter& json) {
  json.BeginArray();
  for (const Number number : numbers) json.Value(number);
  json.EndArray();
}

void WriteQuantization(const model::ModelQuantization& quantization, JsonWriter& json) {
  json.BeginObject();
  json.Key("origin").Value(NameOf(quantization.origin));
  json.Key("granularity").Value(static_cast<int>(quantization.granularity));
  json.Key("axis").Value(quantization.axis);
  json.Key("group_size").Value(quantization.group_size);
  json.Key("code_min").Value(quantization.code_min);
  json.Key("code_max").Value(quantization.code_max);
  WriteNumbers(quantization.scales, json.Key("scales"));
  WriteNumbers(quantization.zero_points, json.Key("zero_points"));
  json.EndObject();
}

void WriteTensor(const model::ModelGraph& model, std::size_t index, JsonWriter& json) {
  const model::ModelTensor& tensor = model.tensors()[index];
  json.BeginObject();
  json.Key("name").Value(tensor.name);
  json.Key("type").Value(NameOf(tensor.type));
  json.Key("shape");
  if (tensor.has_shape) {
    WriteNumbers(tensor.shape, json);
  } else {
    json.Null();
  }
  json.Key("is_constant").Value(tensor.is_constant);
  json.Key("bytes").Value(tensor.stored_bytes());
  json.Key("is_weight").Value(model.IsWeight(model::TensorId{static_cast<std::uint32_t>(index)}));
  json.Key("source");
  if (tensor.source == model::kNoTensor) {
    json.Null();
  } else {
    json.Value(model.tensor(tensor.source).name);
  }
  json.Key("quantization");
  if (tensor.quantization) {
    WriteQuantization(*tensor.quantization, json);
  } else {
    json.Null();
  }
  json.EndObject();
}

std::string Listing(const model::ModelGraph& model) {
  JsonWriter json;
  json.BeginObject();
  json.Key("format").Value(NameOf(model.format()));
  json.Key("file_bytes").Value(model.file_bytes());
  json.Key("metadata").BeginArray();
  for (const auto& [key, value] : model.metadata()) {
    json.BeginArray().Value(key).Value(value).EndArray();
  }
  json.EndArray();
  json.Key("nodes").BeginArray();
  for (const model::ModelNode& node : model.nodes()) cli::WriteNode(model, node, json);
  json.EndArray();
  json.Key("tensors").BeginArray();
  for (std::size_t i = 0; i < model.tensors().size(); ++i) WriteTensor(model, i, json);
  json.EndArray();
  cli::WriteNames(model, model.inputs(), json.Key("inputs"));
  cli::WriteNames(model, model.outputs(), json.Key("outputs"));
  json.EndObject();
  return json.Take();
}

// In pieces of an odd size, so that every kind of element is also read from its middle.
Result<void> WriteWeights(const model::ModelGraph& model, std::size_t index,
                          const std::filesystem::path& directory) {
  CBOARD_ASSIGN_OR_RETURN(const model::WeightReader weights,
                          model.OpenWeights(model::TensorId{static_cast<std::uint32_t>(index)}));
  CBOARD_ASSIGN_OR_RETURN(File file, File::Create(directory / (std::to_string(index) + ".f32")));
  std::vector<float> piece(997);
  for (std::size_t first = 0; first < weights.element_count(); first += piece.size()) {
    const auto part =
        std::span(piece).first(std::min(piece.size(), weights.element_count() - first));
    weights.Read(first, part);
    CBOARD_RETURN_IF_ERROR(file.Write(std::as_bytes(part)));
  }
  return {};
}

int Run(const std::vector<std::string>& arguments) {
  model::InputShapes shapes;
  for (std::size_t i = 2; i < arguments.size(); ++i) {
    if (const Result<void> added = model::AddInputShape(arguments[i], shapes); !added) return 2;
  }
  const Result<model::ModelGraph> model = model::OpenModel(arguments[0], shapes);
  if (!model) {
    std::cerr << NameOf(model.error().code) << ": " << model.error().message << '\n';
    return 1;
  }
  std::cout << Listing(*model) << '\n';
  if (arguments.size() < 2) return 0;
  for (std::size_t i = 0; i < model->tensors().size(); ++i) {
    if (!model->IsWeight(model::TensorId{static_cast<std::uint32_t>(i)})) continue;
    if (const Result<void> written = WriteWeights(*model, i, arguments[1]); !written) {
      std::cerr << written.error().message << '\n';
    }
  }
  return 0;
}

}  // namespace
}  // namespace cboard

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  return cboard::Run(std::vector<std::string>(argv + 1, argv + argc));
}
