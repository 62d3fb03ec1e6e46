// Maps files that a model refers to, only from the model's own folder.
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

  // Maps the whole file `location`, a path relative to the model's folder. Fails with
  // kPermissionDenied if the path is absolute, contains "..", or is a link that leads out of the
  // folder, and with kNotFound if the file does not exist. A file is mapped only once, even under
  // different paths.
  Result<ByteSpan> Map(std::string_view location);

  // Registers `file` for a location, so that Map returns it; for data that is not in the file
  // system.
  void Provide(std::string_view location, std::shared_ptr<const MappedFile> file);

 private:
  GraphAssembler& graph_;
  std::unordered_map<std::string, ByteSpan> mapped_;  // By location.
  std::unordered_map<std::string, ByteSpan> mapped_paths_;
};

}  // namespace cboard::model
