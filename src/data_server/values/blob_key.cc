#include "data_server/values/blob_key.h"

#include <simdjson.h>

#include <optional>

#include "base/base64_url.h"
#include "cboard/base/json_writer.h"
#include "cboard/base/strings.h"

namespace cboard::data_server {
namespace {

// Reads the five elements of `array`. False if one is missing or has another type.
bool TakeElements(simdjson::dom::array array, BlobKey& key) {
  if (array.size() != 5) return false;
  std::string_view experiment, run, tag;
  if (array.at(0).get(experiment) != simdjson::SUCCESS ||
      array.at(1).get(run) != simdjson::SUCCESS || array.at(2).get(tag) != simdjson::SUCCESS ||
      array.at(3).get(key.step) != simdjson::SUCCESS ||
      array.at(4).get(key.index) != simdjson::SUCCESS) {
    return false;
  }
  key.experiment = experiment;
  key.run = run;
  key.tag = tag;
  return true;
}

}  // namespace

std::string EncodeBlobKey(const BlobKey& key) {
  JsonWriter json;
  json.BeginArray().Value(key.experiment).Value(key.run).Value(key.tag);
  json.Value(key.step).Value(key.index).EndArray();
  return ToBase64Url(json.text());
}

Result<BlobKey> DecodeBlobKey(std::string_view text) {
  const auto wrong = [&] {
    return Fail(ErrorCode::kInvalidArgument,
                "failed to parse blob key " + Quoted(text) + "; take one from ReadBlobSequences");
  };
  if (text.size() > kMaxBlobKeyBytes) return wrong();
  const std::optional<std::string> decoded = FromBase64Url(text);
  if (!decoded) return wrong();
  simdjson::dom::parser parser;
  simdjson::dom::array array;
  BlobKey key;
  const simdjson::padded_string json(*decoded);
  if (parser.parse(json).get(array) != simdjson::SUCCESS || !TakeElements(array, key)) {
    return wrong();
  }
  return key;
}

}  // namespace cboard::data_server
