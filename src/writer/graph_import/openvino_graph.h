// OpenVINO's intermediate representation (the .xml beside the .bin) as a TensorBoard graph.
//
//   CBOARD_ASSIGN_OR_RETURN(const std::string graph_def, GraphDefFromOpenVino("model.xml"));
//
// Each layer is one node: its name, its type as op, the layers it reads as inputs in the order of
// its ports, its <data> as text in `parameters`, and `_output_shapes` and `dtype` where its ports
// say them. tensorboardX writes one node per edge instead, which loses types and layers without
// inputs and repeats names.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "cboard/base/result.h"

namespace cboard::writer {

// A serialized GraphDef. Errors name the file and the line: kNotFound, kDataLoss when it is not
// well-formed XML or contradicts itself, kInvalidArgument when it is some other XML.
Result<std::string> GraphDefFromOpenVino(const std::filesystem::path& xml_file);

// The same from the text of the file.
Result<std::string> GraphDefFromOpenVinoXml(std::string_view xml);

}  // namespace cboard::writer
