// Stores large constants in a temporary file. Sessions map the file instead of copying the weights,
// and its pages can be removed from memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>

#include "base/temporary_folder.h"
#include "model/storage/mapped_file.h"
#include "quantize/graph/graph.h"

namespace cboard::quantize {

class ConstantFile {
 public:
  static constexpr std::string_view kName = "constants.data";

  // Moves constants of at least 4 KiB to a file if they take at least 8 MiB together. Does not
  // change the graph if the file cannot be written.
  static void MoveConstants(Graph& graph);

  // Returns the directory that contains the file kName.
  const std::filesystem::path& folder() const { return folder_.path(); }
  // Returns the position of these elements in the file; nullopt if they are not in the file.
  std::optional<std::uint64_t> OffsetOf(std::string_view elements) const;
  // Returns memory to the system until the elements are read again.
  void ReleasePages() const { file_->ReleasePages(); }

 private:
  TemporaryFolder folder_;
  std::shared_ptr<const model::MappedFile> file_;
};

}  // namespace cboard::quantize
