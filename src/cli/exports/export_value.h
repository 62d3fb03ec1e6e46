// One value of a tag that is not a scalar, as JSON; export_logs.h describes the forms.
#pragma once

#include <string>
#include <string_view>

#include "cboard/base/json_writer.h"
#include "cboard/base/result.h"
#include "cboard/reader/snapshot.h"
#include "cli/exports/export_logs.h"

namespace cboard::cli {

// `bytes` are those of a Blob of a tag of this kind.
void AppendValue(reader::TagKind kind, std::string_view bytes, bool media, JsonWriter& json);

// The "hparams" of a tag: PluginData.content as an object, null if it holds nothing.
void AppendHParams(std::string_view plugin_content, JsonWriter& json);

// Figures of layers as node data for Model Explorer.

// The figure `metric` of the layers of `variant`, a graph per model: what is logged as
// <model>/layers/<layer>/<metric>/<variant>. An empty metric is the most telling one that is there,
// an empty variant the only one. Fails with kNotFound when there is no such figure, and with
// kInvalidArgument when there are several variants; the message names what there is.
Result<std::string> NodeDataJson(const reader::Snapshot& snapshot, const ExportOptions& options,
                                 std::string_view metric, std::string_view variant);

}  // namespace cboard::cli
