// Reads OpenVINO IR: layers and edges in an .xml file, weights in a .bin file in the same
// directory.
#include <algorithm>
#include <cstdlib>
#include <pugixml.hpp>
#include <unordered_map>

#include "cboard/base/strings.h"
#include "model/graph/external_data.h"
#include "model/graph/formats.h"
#include "model/graph/graph_assembler.h"
#include "model/openvino/openvino_quantization.h"

namespace cboard::model {
namespace {

// Maximum size of the .xml file, far above real models. The parsed tree takes several times as much
// memory.
constexpr std::size_t kMaxXmlBytes = std::size_t{512} << 20;

struct OpenvinoType {
  std::string_view name;
  DType type;
};
constexpr OpenvinoType kOpenvinoTypes[] = {
    {"f32", DType::kFloat32},       {"fp32", DType::kFloat32},
    {"f16", DType::kFloat16},       {"fp16", DType::kFloat16},
    {"bf16", DType::kBfloat16},     {"f64", DType::kFloat64},
    {"fp64", DType::kFloat64},      {"i4", DType::kInt4},
    {"u4", DType::kUint4},          {"u2", DType::kUint2},
    {"i8", DType::kInt8},           {"u8", DType::kUint8},
    {"i16", DType::kInt16},         {"u16", DType::kUint16},
    {"i32", DType::kInt32},         {"u32", DType::kUint32},
    {"i64", DType::kInt64},         {"u64", DType::kUint64},
    {"boolean", DType::kBool},      {"bool", DType::kBool},
    {"string", DType::kString},     {"f8e4m3", DType::kFloat8E4m3fn},
    {"f8e5m2", DType::kFloat8E5m2}, {"f8e8m0", DType::kFloat8E8m0},
    {"f4e2m1", DType::kFloat4E2m1},
};

DType TypeOf(std::string_view name) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  const auto* known = std::ranges::find(kOpenvinoTypes, lower, &OpenvinoType::name);
  return known == std::end(kOpenvinoTypes) ? DType::kUnknown : known->type;
}

std::vector<std::int64_t> SizesOf(std::string_view list) {
  std::vector<std::int64_t> sizes;
  if (list.empty()) return sizes;
  for (const std::string_view size : Split(list, ',')) {
    sizes.push_back(std::strtoll(std::string(size).c_str(), nullptr, 10));
  }
  return sizes;
}

class OpenVinoReader {
 public:
  OpenVinoReader(std::shared_ptr<const MappedFile> file, pugi::xml_node net)
      : graph_(ModelFormat::kOpenVino, std::move(file)), files_(graph_), net_(net) {}

  Result<ModelGraph> Run() {
    graph_.AddMetadata("name", net_.attribute("name").value());
    graph_.AddMetadata("version", net_.attribute("version").value());
    const pugi::xml_node info = net_.child("rt_info");
    graph_.AddMetadata("runtime_version", info.child("Runtime_version").attribute("value").value());
    const pugi::xml_node layers = net_.child("layers");
    if (!layers) {
      return Fail(
          ErrorCode::kInvalidArgument,
          "the element <net> has no <layers>; give the complete .xml file of an OpenVINO model");
    }
    for (const pugi::xml_node layer : layers.children("layer")) {
      CBOARD_RETURN_IF_ERROR(ReadOutputs(layer));
    }
    CBOARD_RETURN_IF_ERROR(ReadEdges());
    for (const pugi::xml_node layer : layers.children("layer")) ReadNode(layer);
    CBOARD_RETURN_IF_ERROR(graph_.Sort());
    CBOARD_RETURN_IF_ERROR(ResolveOpenVinoQuantization(graph_));
    return graph_.Finish();
  }

 private:
  std::string Place(pugi::xml_node node) const {
    const std::string_view xml = graph_.file().text();
    const auto offset = static_cast<std::size_t>(std::max<std::ptrdiff_t>(node.offset_debug(), 0));
    const auto before = xml.substr(0, std::min(offset, xml.size()));
    return "line " + std::to_string(1 + std::count(before.begin(), before.end(), '\n')) + ": ";
  }

  static std::string NameOf(pugi::xml_node layer) {
    const std::string_view name = layer.attribute("name").value();
    return name.empty()
               ? std::string(layer.attribute("type").value()) + "_" + layer.attribute("id").value()
               : std::string(name);
  }

  // Reads the outputs of a layer. The first output tensor has the name of its layer. The names of
  // other outputs also contain the number of the port.
  Result<void> ReadOutputs(pugi::xml_node layer) {
    const std::string id = layer.attribute("id").value();
    if (id.empty())
      return Fail(ErrorCode::kDataLoss, Place(layer) + "an element <layer> has no id");
    std::vector<TensorId>& outputs = outputs_[id];
    if (!outputs.empty()) {
      return Fail(ErrorCode::kDataLoss, Place(layer) + "two layers have the id " + Quoted(id));
    }
    const std::string name = NameOf(layer);
    for (const pugi::xml_node port : layer.child("output").children("port")) {
      CBOARD_RETURN_IF_ERROR(graph_.Charge(name.size() + id.size() + 128));
      const TensorId tensor =
          graph_.NewTensor(outputs.empty() ? name : name + ":" + std::to_string(outputs.size()));
      outputs.push_back(tensor);
      ports_[id + "/" + port.attribute("id").value()] = tensor;
      std::vector<std::int64_t> shape;
      for (const pugi::xml_node size : port.children("dim")) {
        shape.push_back(size.text().as_llong(-1));
      }
      graph_.Describe(tensor, TypeOf(port.attribute("precision").value()), std::move(shape));
    }
    if (std::string_view(layer.attribute("type").value()) == "Const" && !outputs.empty()) {
      return ReadConst(layer, outputs[0]);
    }
    return {};
  }

  Result<void> ReadConst(pugi::xml_node layer, TensorId id) {
    const pugi::xml_node data = layer.child("data");
    const std::uint64_t offset = data.attribute("offset").as_ullong();
    const std::uint64_t size = data.attribute("size").as_ullong();
    const DType type = TypeOf(data.attribute("element_type").value());
    const std::vector<std::int64_t> shape = SizesOf(data.attribute("shape").value());
    if (LayoutOf(type).bytes == 0) return graph_.SetConstant(id, type, shape, {});
    if (!weights_) {
      const std::string name = graph_.file().path().stem().string() + ".bin";
      CBOARD_ASSIGN_OR_RETURN(weights_, files_.Map(name));
    }
    if (offset > weights_->size() || size > weights_->size() - offset) {
      return Fail(ErrorCode::kDataLoss,
                  Place(layer) + "constant " + Quoted(NameOf(layer)) + " is at offset " +
                      std::to_string(offset) + " with " + std::to_string(size) +
                      " bytes, but the .bin file is smaller: " + std::to_string(weights_->size()));
    }
    return graph_.SetConstant(
        id, type, shape,
        {weights_->subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(size))});
  }

  Result<void> ReadEdges() {
    for (const pugi::xml_node edge : net_.child("edges").children("edge")) {
      const std::string from = edge.attribute("from-layer").value();
      const std::string to = edge.attribute("to-layer").value();
      const auto source = ports_.find(from + "/" + edge.attribute("from-port").value());
      if (source == ports_.end() || !outputs_.contains(to)) {
        return Fail(ErrorCode::kDataLoss, Place(edge) + "the <edge> from layer " + Quoted(from) +
                                              " to layer " + Quoted(to) +
                                              " names a layer or port that does not exist");
      }
      inputs_[to].emplace_back(edge.attribute("to-port").as_int(), source->second);
    }
    return {};
  }

  void ReadNode(pugi::xml_node layer) {
    const std::string id = layer.attribute("id").value();
    ModelNode node;
    node.name = NameOf(layer);
    node.op_type = layer.attribute("type").value();
    node.outputs = outputs_[id];
    std::vector<std::pair<int, TensorId>>& inputs = inputs_[id];
    std::ranges::stable_sort(inputs, {}, &std::pair<int, TensorId>::first);
    for (const auto& [port, tensor] : inputs) node.inputs.push_back(tensor);
    if (node.op_type == "Const") return;
    if (node.op_type == "Parameter") {
      for (const TensorId output : node.outputs) graph_.AddInput(output);
      return;
    }
    if (node.op_type == "Result") {
      for (const TensorId input : node.inputs) graph_.AddOutput(input);
      return;
    }
    for (const pugi::xml_attribute data : layer.child("data").attributes()) {
      const std::string_view value = data.value();
      node.attributes.emplace_back(data.name(), value == "true" ? AttributeValue(std::int64_t{1})
                                                : value == "false"
                                                    ? AttributeValue(std::int64_t{0})
                                                    : AttributeValue(std::string(value)));
    }
    graph_.AddNode(std::move(node));
  }

  GraphAssembler graph_;
  ExternalData files_;
  pugi::xml_node net_;
  std::optional<ByteSpan> weights_;
  std::unordered_map<std::string, std::vector<TensorId>> outputs_;  // By layer id.
  std::unordered_map<std::string, TensorId> ports_;                 // By "layer/port".
  std::unordered_map<std::string, std::vector<std::pair<int, TensorId>>> inputs_;
};

}  // namespace

Result<ModelGraph> ReadOpenVino(std::shared_ptr<const MappedFile> file) {
  const std::string_view xml = file->text();
  if (xml.size() > kMaxXmlBytes) {
    return Fail(ErrorCode::kResourceExhausted, "the OpenVINO .xml file of " +
                                                   HumanBytes(static_cast<double>(xml.size())) +
                                                   " is too large to be read");
  }
  pugi::xml_document document;
  const pugi::xml_parse_result parsed = document.load_buffer(xml.data(), xml.size());
  if (!parsed) {
    const auto offset = static_cast<std::size_t>(std::max<std::ptrdiff_t>(parsed.offset, 0));
    const auto before = xml.substr(0, offset);
    return Fail(ErrorCode::kDataLoss,
                "line " + std::to_string(1 + std::count(before.begin(), before.end(), '\n')) +
                    ": this is not valid XML: " + parsed.description());
  }
  const pugi::xml_node net = document.document_element();
  if (std::string_view(net.name()) != "net") {
    return Fail(ErrorCode::kInvalidArgument,
                "this is not an OpenVINO model: its root element is <" + ToValidUtf8(net.name()) +
                    ">, expected <net>");
  }
  return OpenVinoReader(std::move(file), net).Run();
}

}  // namespace cboard::model
