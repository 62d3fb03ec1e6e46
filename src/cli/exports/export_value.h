// One value of a tag that is not a scalar, as JSON; export_logs.h describes the forms.
#pragma once

#include <string_view>

#include "cboard/base/json_writer.h"
#include "cboard/reader/snapshot.h"

namespace cboard::cli {

// `bytes` are those of a Blob of a tag of this kind.
void AppendValue(reader::TagKind kind, std::string_view bytes, bool media, JsonWriter& json);

// The "hparams" of a tag: PluginData.content as an object, null if it holds nothing.
void AppendHParams(std::string_view plugin_content, JsonWriter& json);

}  // namespace cboard::cli
