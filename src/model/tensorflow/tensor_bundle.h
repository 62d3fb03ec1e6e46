// Reads TensorFlow checkpoints. A checkpoint consists of a sorted table of names (variables.index)
// and the data of the names (variables.data-00000-of-00001). A SavedModel stores its weights in a
// checkpoint.
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

// The tensors of a checkpoint by their keys, and the key of each variable by the variable's name.
struct TensorBundle {
  std::map<std::string, BundleEntry, std::less<>> entries;
  std::map<std::string, std::string, std::less<>> keys_by_variable;

  // Finds the entry of a variable by the variable's name (its `shared_name`). Returns null if there
  // is none.
  const BundleEntry* Find(std::string_view variable) const;
};

// Reads the file `prefix`.index and maps its data files. All files must be below the model's
// folder. Fails with kNotFound if there is no checkpoint, and with kDataLoss if it is damaged. The
// result borrows nothing, because `graph` keeps the files mapped.
Result<TensorBundle> ReadTensorBundle(const std::string& prefix, ExternalData& files,
                                      GraphAssembler& graph);

}  // namespace cboard::model
