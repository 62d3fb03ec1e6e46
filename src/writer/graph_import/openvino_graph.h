// Converts OpenVINO's intermediate representation (the .xml of an .xml/.bin pair) to a TensorBoard
// graph.
//
//   CBOARD_ASSIGN_OR_RETURN(const std::string graph_def, GraphDefFromOpenVino("model.xml"));
//
// Each layer becomes one node. The node has the layer's name, its type as op, its source layers as
// inputs in the order of the ports, its <data> as text in `parameters`, and `_output_shapes` and
// `dtype` if the ports contain them. tensorboardX writes one node per edge instead: types, and
// layers without inputs, get lost, and names are repeated.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "cboard/base/result.h"

namespace cboard::writer {

// Converts an OpenVINO XML file to a serialized GraphDef. Errors name the file and the line:
// kNotFound if the file does not exist, kDataLoss if it is not valid XML or contradicts itself, and
// kInvalidArgument if it is another kind of XML.
Result<std::string> GraphDefFromOpenVino(const std::filesystem::path& xml_file);

// Converts an OpenVINO XML text to a serialized GraphDef.
Result<std::string> GraphDefFromOpenVinoXml(std::string_view xml);

}  // namespace cboard::writer
