#include "reader/query/indexed_blobs.h"

#include <string>

#include "cboard/base/strings.h"
#include "reader/query/blob_reader.h"

namespace cboard::reader {

Result<void> ForEachBlob(const Run& run, const Tag& tag, std::span<const std::size_t> indices,
                         const std::function<Result<void>(const Blob&)>& use) {
  BlobReader reader(run);
  for (const std::size_t index : indices) {
    if (index >= tag.blobs.size()) {
      return Fail(ErrorCode::kInvalidArgument, "run " + Quoted(run.name) + ", tag " +
                                                   Quoted(tag.name()) + ": the value with index " +
                                                   std::to_string(index) +
                                                   " does not exist; the number of values is " +
                                                   std::to_string(tag.blobs.size()));
    }
    const BlobEntry entry = tag.blobs.at(index);
    const auto where = [&] {
      return "run " + Quoted(run.name) + ", tag " + Quoted(tag.name()) + ", step " +
             std::to_string(entry.step);
    };
    const Result<Blob> blob = reader.Read(entry);
    if (!blob) return Fail(Annotate(blob.error(), where()));
    if (Result<void> used = use(*blob); !used) return Fail(Annotate(used.error(), where()));
  }
  return {};
}

}  // namespace cboard::reader
