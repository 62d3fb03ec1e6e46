// Reads TensorFlow checkpoints: a sorted table of names (variables.index) and the data that they
// refer to (variables.data-00000-of-00001). A SavedModel stores its weights in a checkpoint.
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
  ByteSpan data;  // A view of the mapped file.
};

// The tensors of a checkpoint by their keys, and the keys by variable name.
struct TensorBundle {
  std::map<std::string, BundleEntry, std::less<>> entries;
  std::map<std::string, std::string, std::less<>> keys_by_variable;

  // Finds the entry of the variable with this name (its `shared_name`); null if there is none.
  const BundleEntry* Find(std::string_view variable) const;
};

// Reads `prefix`.index and maps its data files, all below the model's folder. Fails with kNotFound
// if there is none and kDataLoss if it is damaged. Borrows nothing; `graph` keeps the files mapped.
Result<TensorBundle> ReadTensorBundle(const std::string& prefix, ExternalData& files,
                                      GraphAssembler& graph);

}  // namespace cboard::model
