// The flag --shape of the commands that open model files.
#pragma once

#include "cboard/model/input_shapes.h"

namespace CLI {
class App;
}

namespace cboard::cli {

// Adds --shape, which may be given once for each input, and stores its values in `shapes`.
void AddShapeFlag(CLI::App& app, const char* help, model::InputShapes& shapes);

}  // namespace cboard::cli
