#include "writer/graph_import/openvino_graph.h"

#include <algorithm>
#include <cstdint>
#include <pugixml.hpp>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cboard/base/file.h"
#include "cboard/base/strings.h"
#include "cboard/proto/graph.h"
#include "writer/graph_import/node_names.h"

namespace cboard::writer {
namespace {

using proto::Attribute;
using proto::DataType;

// Maximum size of the XML file, far above real models. The parsed tree takes several times as much
// memory.
constexpr std::uint64_t kMaxXmlBytes = std::uint64_t{512} << 20;

struct Precision {
  std::string_view name;
  DataType type;
};
constexpr Precision kPrecisions[] = {
    {"FP32", DataType::kFloat},        {"FP16", DataType::kHalf},
    {"BF16", DataType::kBfloat16},     {"FP64", DataType::kDouble},
    {"I4", DataType::kInt4},           {"U4", DataType::kUint4},
    {"I8", DataType::kInt8},           {"U8", DataType::kUint8},
    {"I16", DataType::kInt16},         {"U16", DataType::kUint16},
    {"I32", DataType::kInt32},         {"U32", DataType::kUint32},
    {"I64", DataType::kInt64},         {"U64", DataType::kUint64},
    {"BOOL", DataType::kBool},         {"BOOLEAN", DataType::kBool},
    {"STRING", DataType::kString},     {"F8E4M3", DataType::kFloat8E4m3fn},
    {"F8E5M2", DataType::kFloat8E5m2},
};

std::string LineOf(std::string_view xml, std::ptrdiff_t offset) {
  const auto end = static_cast<std::size_t>(std::max<std::ptrdiff_t>(offset, 0));
  const std::string_view before = xml.substr(0, std::min(end, xml.size()));
  return "line " + std::to_string(1 + std::count(before.begin(), before.end(), '\n'));
}

// A <layer> element, and the data that its edges need.
struct Layer {
  pugi::xml_node xml;
  std::string name;
  std::unordered_map<std::string_view, std::size_t> output_ports;  // Index of a port by its id.
  // The inputs of a layer: the number of the input port, and the reference to the source.
  std::vector<std::pair<int, std::string>> inputs;
};

class OpenVinoImport {
 public:
  OpenVinoImport(std::string_view xml, pugi::xml_node net) : xml_(xml), net_(net) {}

  Result<std::string> Run() {
    CBOARD_RETURN_IF_ERROR(ReadLayers());
    CBOARD_RETURN_IF_ERROR(ReadEdges());
    proto::GraphBuilder builder;
    for (Layer& layer : layers_) builder.AddNode(NodeOf(layer));
    return builder.Encode();
  }

 private:
  tl::unexpected<Error> Contradiction(pugi::xml_node where, const std::string& what) const {
    return Fail(ErrorCode::kDataLoss, LineOf(xml_, where.offset_debug()) + ": " + what);
  }

  Result<void> ReadLayers() {
    const pugi::xml_node list = net_.child("layers");
    if (!list) {
      return Fail(
          ErrorCode::kInvalidArgument,
          "the element <net> has no <layers>; give the complete .xml file of an OpenVINO model");
    }
    for (const pugi::xml_node xml : list.children("layer")) {
      const std::string_view id = xml.attribute("id").value();
      if (id.empty()) return Contradiction(xml, "an element <layer> has no id");
      if (!by_id_.try_emplace(id, layers_.size()).second) {
        return Contradiction(xml, "two layers have the id " + Quoted(id));
      }
      const std::string_view name = xml.attribute("name").value();
      const std::string type = xml.attribute("type").value();
      Layer& layer = layers_.emplace_back();
      layer.xml = xml;
      layer.name = names_.Take(name.empty() ? type + "_" + std::string(id) : std::string(name));
      std::size_t position = 0;
      for (const pugi::xml_node port : xml.child("output").children("port")) {
        layer.output_ports.try_emplace(port.attribute("id").value(), position++);
      }
    }
    return {};
  }

  // Finds the layer at one end of an edge. `end` is the name of the edge attribute that contains
  // the layer's id.
  Result<Layer*> EndOf(pugi::xml_node edge, const char* end) {
    const std::string_view id = edge.attribute(end).value();
    const auto found = by_id_.find(id);
    if (found == by_id_.end()) {
      return Contradiction(edge, std::string("an element <edge> has ") + end + " " + Quoted(id) +
                                     ", but no layer has this id");
    }
    return &layers_[found->second];
  }

  Result<void> ReadEdges() {
    for (const pugi::xml_node edge : net_.child("edges").children("edge")) {
      CBOARD_ASSIGN_OR_RETURN(const Layer* from, EndOf(edge, "from-layer"));
      CBOARD_ASSIGN_OR_RETURN(Layer * to, EndOf(edge, "to-layer"));
      const auto port = from->output_ports.find(edge.attribute("from-port").value());
      const bool is_first = port == from->output_ports.end() || port->second == 0;
      to->inputs.emplace_back(
          edge.attribute("to-port").as_int(),
          is_first ? from->name : from->name + ":" + std::to_string(port->second));
    }
    return {};
  }

  static proto::Node NodeOf(Layer& layer) {
    proto::Node node{.name = layer.name, .op = layer.xml.attribute("type").value()};
    std::ranges::stable_sort(layer.inputs, {}, &std::pair<int, std::string>::first);
    for (auto& input : layer.inputs) node.inputs.push_back(std::move(input.second));

    std::string parameters;
    for (const pugi::xml_attribute data : layer.xml.child("data").attributes()) {
      if (!parameters.empty()) parameters += ", ";
      parameters += std::string(data.name()) + " = " + data.value();
    }
    node.attributes.emplace_back("parameters", Attribute::String(ToValidUtf8(parameters)));

    std::vector<proto::Shape> shapes;
    for (const pugi::xml_node port : layer.xml.child("output").children("port")) {
      proto::Shape& shape = shapes.emplace_back();
      for (const pugi::xml_node size : port.children("dim")) {
        shape.push_back(size.text().as_llong(-1));
      }
    }
    if (!shapes.empty()) {
      node.attributes.emplace_back("_output_shapes", Attribute::ShapeList(shapes));
    }
    const std::string_view precision =
        layer.xml.child("output").child("port").attribute("precision").value();
    const auto* known = std::ranges::find(kPrecisions, precision, &Precision::name);
    if (known != std::end(kPrecisions)) {
      node.attributes.emplace_back("dtype", Attribute::Type(known->type));
    }
    return node;
  }

  std::string_view xml_;
  pugi::xml_node net_;
  UniqueNames names_;
  std::vector<Layer> layers_;
  std::unordered_map<std::string_view, std::size_t> by_id_;
};

}  // namespace

Result<std::string> GraphDefFromOpenVinoXml(std::string_view xml) {
  pugi::xml_document document;
  const pugi::xml_parse_result parsed = document.load_buffer(xml.data(), xml.size());
  if (!parsed) {
    return Fail(ErrorCode::kDataLoss,
                LineOf(xml, parsed.offset) + ": this is not valid XML: " + parsed.description());
  }
  const pugi::xml_node root = document.document_element();
  if (std::string_view(root.name()) != "net") {
    return Fail(ErrorCode::kInvalidArgument,
                LineOf(xml, root.offset_debug()) +
                    ": this is not an OpenVINO model: its root element is <" +
                    ToValidUtf8(root.name()) + ">, expected <net>");
  }
  return OpenVinoImport(xml, root).Run();
}

Result<std::string> GraphDefFromOpenVino(const std::filesystem::path& xml_file) {
  CBOARD_ASSIGN_OR_RETURN(const std::string xml, ReadFile(xml_file, kMaxXmlBytes));
  Result<std::string> graph = GraphDefFromOpenVinoXml(xml);
  if (!graph) return Fail(Annotate(std::move(graph).error(), Quoted(xml_file.string(), 4096)));
  return graph;
}

}  // namespace cboard::writer
