// Converts a value of a tag that is not a scalar to JSON; export_logs.h describes the forms.
#pragma once

#include <string>
#include <string_view>

#include "cboard/base/json_writer.h"
#include "cboard/base/result.h"
#include "cboard/reader/snapshot.h"
#include "cli/exports/export_logs.h"

namespace cboard::cli {

// Appends a value. `bytes` is the content of a Blob that was read from a tag of this kind.
void AppendValue(reader::TagKind kind, std::string_view bytes, bool media, JsonWriter& json);

// Appends the "hparams" of a tag: PluginData.content as an object, or null if it is empty.
void AppendHParams(std::string_view plugin_content, JsonWriter& json);

// Exports layer metrics as node data for Model Explorer.

// Returns the metric `metric` of the layers of `variant`, with one graph per model. It reads values
// logged as <model>/layers/<layer>/<metric>/<variant>. By default, `metric` is the most informative
// logged metric, and `variant` is the only variant. Fails with kNotFound if there is no such
// metric, and with kInvalidArgument if there are several variants; the message lists the existing
// ones.
Result<std::string> NodeDataJson(const reader::Snapshot& snapshot, const ExportOptions& options,
                                 std::string_view metric, std::string_view variant);

}  // namespace cboard::cli
