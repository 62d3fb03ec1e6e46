// Writes what EditGraph makes of a model, for test_edits.py to look at.
//
//   edit_dump MODEL EDITED [pass NAME FROM | clamp NAME FROM LOW HIGH | constant NAME FILE.npy]…
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "cboard/base/file.h"
#include "cboard/runtime/graph_edits.h"
#include "cboard/runtime/npy.h"
#include "cboard/tensor/convert.h"

namespace cboard {
namespace {

Result<runtime::GraphEdits> ReadEdits(const std::vector<std::string>& arguments) {
  runtime::GraphEdits edits;
  for (std::size_t i = 2; i + 2 < arguments.size(); i += 3) {
    const std::string &name = arguments[i + 1], &from = arguments[i + 2];
    if (arguments[i] == "constant") {
      CBOARD_ASSIGN_OR_RETURN(runtime::NpyFile file, runtime::NpyFile::Open(from));
      CBOARD_ASSIGN_OR_RETURN(const TensorView tensor, file.Read(0));
      CBOARD_ASSIGN_OR_RETURN(std::vector<float> values, tensor::ToFloats(tensor));
      edits.constants.push_back({name, tensor.shape, std::move(values)});
      continue;
    }
    runtime::PassedTensor& passed = edits.passed.emplace_back();
    passed.name = name;
    passed.from = from;
    if (arguments[i] == "clamp") {
      passed.low = std::strtof(arguments[i + 3].c_str(), nullptr);
      passed.high = std::strtof(arguments[i + 4].c_str(), nullptr);
      i += 2;
    }
  }
  return edits;
}

Result<void> Edit(const std::vector<std::string>& arguments) {
  CBOARD_ASSIGN_OR_RETURN(const std::string model, ReadFile(arguments[0]));
  CBOARD_ASSIGN_OR_RETURN(const runtime::GraphEdits edits, ReadEdits(arguments));
  CBOARD_ASSIGN_OR_RETURN(const std::string edited, runtime::EditGraph(model, edits));
  return WriteFileAtomically(arguments[1], edited);
}

}  // namespace
}  // namespace cboard

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: edit_dump MODEL EDITED [EDIT...]\n");
    return 2;
  }
  const auto edited = cboard::Edit({argv + 1, argv + argc});
  if (!edited) {
    std::fprintf(stderr, "edit_dump: %s\n", edited.error().message.c_str());
    return 1;
  }
  return 0;
}
