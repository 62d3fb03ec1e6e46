// Shapes for the inputs of a model that the model's file does not fix.
//
//   CBOARD_ASSIGN_OR_RETURN(const ModelGraph model, OpenModel("text.onnx", {{"x", {1, 3, 48,
//   320}}}));
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/result.h"

namespace cboard::model {

// Shapes of a model's inputs, by the name of the input. The name "" means the only input of the
// model.
using InputShapes = std::map<std::string, std::vector<std::int64_t>, std::less<>>;

// Parses a shape that a user typed, and adds it to `shapes`: "x=1,3,48,320", or "1,3,48,320" for
// the only input. Fails with kInvalidArgument for any other text, and if the input already has a
// shape.
Result<void> AddInputShape(std::string_view text, InputShapes& shapes);

// Formats shapes in the way a user types them: "x=1,3,48,320 state=2,1,128".
std::string ToText(const InputShapes& shapes);

}  // namespace cboard::model
