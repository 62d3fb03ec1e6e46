// Opens event files for writing in tests.
#pragma once

#include <filesystem>
#include <memory>
#include <utility>

#include "cboard/writer/event_file_writer.h"
#include "testing/matchers.h"

namespace cboard::testing {

inline std::unique_ptr<writer::EventFileWriter> OpenOrDie(const std::filesystem::path& directory,
                                                          const WriterOptions& options = {}) {
  Result<std::unique_ptr<writer::EventFileWriter>> writer =
      writer::EventFileWriter::Open(directory, options);
  EXPECT_THAT(writer, Succeeds());
  return *std::move(writer);
}

}  // namespace cboard::testing
