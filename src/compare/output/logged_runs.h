// Locations of the runs of a model, in a directory with comparisons of several models.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "cboard/base/result.h"
#include "cboard/writer/summary_writer.h"

namespace cboard::compare {

// Parent directory of the runs "fp32" and of the variant. The first model that is compared to a
// directory has them there, any other in a folder of its name: a run has one graph, and tags cannot
// distinguish the graphs of several models.
std::filesystem::path RunDirectory(const std::filesystem::path& directory,
                                   const std::string& model);

// Writer options for such runs: values of an earlier comparison are replaced, so that curves are
// not drawn twice.
WriterOptions ReplaceOptions();

// Logs the owner of the graph that follows in the run, and its file. RunDirectory recognizes the
// model's runs by this value, so it must be the first one. Fails as SummaryWriter does.
Result<void> LogOwner(SummaryWriter& writer, const std::string& model, std::string_view variant,
                      const std::filesystem::path& file);

}  // namespace cboard::compare
