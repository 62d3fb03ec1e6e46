// A model file as text for people and as JSON for programs.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "cboard/model/model_graph.h"

namespace cboard::cli {

// Describes `model`: operators, element types, quantization, and the `top` largest nodes, or
// tensors if the format has no nodes.
std::string ModelText(std::string_view name, const model::ModelGraph& model, std::size_t top = 20);

// {"path":…,"format":…,"totals":{…},"inputs":[…],"outputs":[…],"nodes":[…],"constants":[…]}
// Complete for any `--top`. Unknown values are null: sizes of dimensions, the
// multiply-accumulates of nodes whose shapes are missing.
std::string ModelJson(std::string_view name, const model::ModelGraph& model);

// 1'820'000'000 -> "1.82 G"; whole numbers below 1000.
std::string HumanWork(std::uint64_t operations);

}  // namespace cboard::cli
