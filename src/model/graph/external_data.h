// Files that a model refers to, from its own folder and nowhere else.
//
//   ExternalData files(graph);
//   CBOARD_ASSIGN_OR_RETURN(const ByteSpan bytes, files.Map("weights.data"));
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "model/graph/graph_assembler.h"

namespace cboard::model {

// Borrows the assembler, which keeps the files mapped.
class ExternalData {
 public:
  explicit ExternalData(GraphAssembler& graph) : graph_(graph) {}

  // The whole file `location`, a path relative to the model's folder. Fails with kPermissionDenied
  // when it is absolute, contains "..", or is a link that leads out of the folder, and with
  // kNotFound when there is no such file. A file is mapped once, whatever it is called.
  Result<ByteSpan> Map(std::string_view location);

  // From now on `file` is what Map gives for this location; for data that is not in the file
  // system.
  void Provide(std::string_view location, std::shared_ptr<const MappedFile> file);

 private:
  GraphAssembler& graph_;
  std::unordered_map<std::string, ByteSpan> mapped_;  // By location.
  std::unordered_map<std::string, ByteSpan> mapped_paths_;
};

}  // namespace cboard::model
