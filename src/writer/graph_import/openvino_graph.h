// Converts OpenVINO's intermediate representation (the .xml of an .xml/.bin pair) to a TensorBoard
// graph.
//
//   CBOARD_ASSIGN_OR_RETURN(const std::string graph_def, GraphDefFromOpenVino("model.xml"));
//
// Each layer is one node, with its name, its type as op, its source layers as inputs in port order,
// its <data> as text in `parameters`, and `_output_shapes` and `dtype` if its ports contain them.
// tensorboardX writes one node per edge instead, which loses types and layers without inputs, and
// repeats names.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "cboard/base/result.h"

namespace cboard::writer {

// Converts an OpenVINO XML file to a serialized GraphDef. Errors name the file and the line:
// kNotFound, kDataLoss if it is not valid XML or contradicts itself, kInvalidArgument if it is
// another kind of XML.
Result<std::string> GraphDefFromOpenVino(const std::filesystem::path& xml_file);

// Converts an OpenVINO XML text to a serialized GraphDef.
Result<std::string> GraphDefFromOpenVinoXml(std::string_view xml);

}  // namespace cboard::writer
