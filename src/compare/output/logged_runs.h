// Where the runs of a model are, in a directory that several models may be compared to.
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

// For the writers of such runs: what an earlier comparison has logged there no longer counts, so
// that the same curve is not drawn twice.
WriterOptions ReplaceOptions();

// Says whose graph follows in the run, and from which file it is. RunDirectory knows the model's
// runs by it, so it is the first value that is logged there. Fails as SummaryWriter does.
Result<void> LogOwner(SummaryWriter& writer, const std::string& model, std::string_view variant,
                      const std::filesystem::path& file);

}  // namespace cboard::compare
