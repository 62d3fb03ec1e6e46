// The flag --shape of commands that open model files.
#pragma once

#include "cboard/model/input_shapes.h"

namespace CLI {
class App;
}

namespace cboard::cli {

// Adds the flag --shape, which may be repeated for several inputs, and stores its values in
// `shapes`.
void AddShapeFlag(CLI::App& app, const char* help, model::InputShapes& shapes);

}  // namespace cboard::cli
