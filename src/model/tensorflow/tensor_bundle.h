// TensorFlow's checkpoints: a sorted table of names (variables.index) and the bytes they point to
// (variables.data-00000-of-00001). A SavedModel keeps its weights in one.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/proto/tensor.h"
#include "model/graph/external_data.h"
#include "model/graph/graph_assembler.h"

namespace cboard::model {

struct BundleEntry {
  proto::DataType type = proto::DataType::kInvalid;
  std::vector<std::int64_t> shape;
  ByteSpan data;  // In the mapped file.
};

// The tensors of a checkpoint by their keys, and by the names that variables have in the graph.
struct TensorBundle {
  std::map<std::string, BundleEntry, std::less<>> entries;
  std::map<std::string, std::string, std::less<>> keys_by_variable;

  // The entry of the variable with this name (its `shared_name`), or null.
  const BundleEntry* Find(std::string_view variable) const;
};

// Reads `prefix`.index and maps its data files, all below the model's folder. Fails with kNotFound
// when there is none and kDataLoss when it is damaged. Borrows nothing; `graph` keeps the files.
Result<TensorBundle> ReadTensorBundle(const std::string& prefix, ExternalData& files,
                                      GraphAssembler& graph);

}  // namespace cboard::model
