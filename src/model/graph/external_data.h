// Maps files that a model refers to. They must be in the model's own folder.
//
//   ExternalData files(graph);
//   CBOARD_ASSIGN_OR_RETURN(const ByteSpan bytes, files.Map("weights.data"));
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "model/graph/graph_assembler.h"

namespace cboard::model {

// Maps the external files of a model. Borrows the assembler, which keeps the files mapped.
class ExternalData {
 public:
  explicit ExternalData(GraphAssembler& graph) : graph_(graph) {}

  // Maps the whole file at `location`, a path relative to the model's folder. Fails with
  // kPermissionDenied if the path is absolute, contains "..", or is a symbolic link that leads out
  // of the folder, and with kNotFound if the file does not exist. A file is mapped only once, even
  // if it is given by different paths.
  Result<ByteSpan> Map(std::string_view location);

  // Sets the file that Map returns for `location`, for data that is not in the file system.
  void Provide(std::string_view location, std::shared_ptr<const MappedFile> file);

 private:
  GraphAssembler& graph_;
  std::unordered_map<std::string, ByteSpan> mapped_;  // By location.
  std::unordered_map<std::string, ByteSpan> mapped_paths_;
};

}  // namespace cboard::model
