// Decides where the runs of a model are, in a directory with comparisons of several models.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "cboard/base/result.h"
#include "cboard/writer/summary_writer.h"

namespace cboard::compare {

// Returns the directory in which the runs "fp32" and of the variant are created. For the first
// model that is logged to `directory`, it is `directory` itself. For other models it is a
// subdirectory with the model's name, because a run can have only one graph, and tags cannot
// distinguish the graphs of several models.
std::filesystem::path RunDirectory(const std::filesystem::path& directory,
                                   const std::string& model);

// Returns writer options that replace the values of an earlier comparison in the same run, because
// a viewer would otherwise draw the old and the new curves.
WriterOptions ReplaceOptions();

// Logs the model to which the run belongs, and its file. RunDirectory recognizes the model's runs
// by this value, so it must be logged first. Fails if SummaryWriter fails.
Result<void> LogOwner(SummaryWriter& writer, const std::string& model, std::string_view variant,
                      const std::filesystem::path& file);

}  // namespace cboard::compare
