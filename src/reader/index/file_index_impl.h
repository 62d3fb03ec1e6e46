// The parts of a file index, and how they are joined into one view.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reader/index/file_index.h"
#include "reader/index/name_table.h"
#include "reader/index/part_reader.h"
#include "reader/index/stored_file.h"

namespace cboard::reader {

// The implementation of FileIndex. A file index has one part, or several if the file was read in
// several parts. The series of all parts are joined by their tags: series j of part k belongs to
// joined_[numbers_[k][j]]. A decoded index has no parts until its file grows, because most files do
// not change between two starts.
class FileIndex::Impl {
 public:
  explicit Impl(std::string path) : path_(std::move(path)) {}

  void ContinueReading(const File& file, const ReadOptions& options, ByteSpan content);
  std::shared_ptr<const FileView> View() const;
  void Compact();
  EncodedIndex Encode() const;
  Result<void> Decode(const EncodedView& encoded, std::shared_ptr<const void> owner,
                      TagInfoMemory& tags);
  bool Verify() const;
  void Rename(std::string path);
  std::uint64_t scalar_bytes() const;
  std::uint64_t blob_index_bytes() const;

 private:
  struct Joined {
    std::shared_ptr<const TagInfo> info;
    // The series of this tag: the number of the part, and the index of the series in the part.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> members;
  };

  void ReadInParallel(const File& file, std::uint64_t file_bytes, const ReadOptions& options);
  void MakePartOfStored();
  EncodedIndex EncodeParts() const;
  bool Follows(const Part& part) const;
  void AddPart(std::unique_ptr<Part> part);
  void DropPartsFrom(std::size_t number);
  void JoinNewSeries(std::size_t part);
  std::int64_t FindJoined(std::string_view name) const;
  std::vector<std::shared_ptr<const TagInfo>> Tags() const;
  std::vector<Restart> Restarts() const;
  // A view, and its columns.
  struct Viewed {
    std::shared_ptr<FileView> view;
    std::shared_ptr<FileColumns> columns;
  };
  Viewed ViewParts() const;
  SeriesView ViewOf(const Joined& joined, FileColumns& columns) const;

  // The path is stored only once: a log directory may contain thousands of files with several parts
  // each.
  std::string path_;
  std::uint64_t size_bytes_ = 0;
  std::optional<Error> error_;
  std::vector<std::unique_ptr<Part>> parts_;  // In the order of their position in the file.
  std::vector<std::vector<std::uint32_t>> numbers_;
  std::vector<Joined> joined_;
  NameTable by_name_;                 // Into joined_.
  std::optional<StoredFile> stored_;  // Until it is read on. Then there are no parts.
};

}  // namespace cboard::reader
