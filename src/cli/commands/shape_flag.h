// The flag --shape of commands that open model files.
#pragma once

#include "cboard/model/input_shapes.h"

namespace CLI {
class App;
}

namespace cboard::cli {

// Adds the flag --shape and stores its values in `shapes`. The flag may be repeated for several
// inputs.
void AddShapeFlag(CLI::App& app, const char* help, model::InputShapes& shapes);

}  // namespace cboard::cli
