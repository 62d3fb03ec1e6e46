#include "cli/commands/shape_flag.h"

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace cboard::cli {

void AddShapeFlag(CLI::App& app, const char* help, model::InputShapes& shapes) {
  const auto read = [&shapes](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      if (const Result<void> added = model::AddInputShape(text, shapes); !added) {
        throw CLI::ValidationError("--shape", added.error().message);
      }
    }
  };
  app.add_option_function<std::vector<std::string>>("--shape", read, help)
      ->type_name("INPUT=SIZES")
      ->allow_extra_args(false);
}

}  // namespace cboard::cli
