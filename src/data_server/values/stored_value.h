// Converts logged values to the form that TensorBoard's plugins read: a TensorProto or a sequence
// of blobs. Values of old writers (images, sounds, histograms) are converted as TensorBoard's data
// server does.
//
// The input is the result of ReadBlob: a Summary.Value, or the GraphDef or RunMetadata if the tag
// is an event of its own. All functions fail with kDataLoss if the value is damaged or of another
// kind; such values are left out of responses.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/reader/snapshot.h"

namespace cboard::data_server {

// A serialized TensorProto that every protobuf library accepts. A client would reject the whole
// response because of one damaged TensorProto.
Result<std::string> TensorOfValue(std::string_view value);

// Cleans a serialized TensorProto: unknown fields and names of dimensions are left out.
Result<std::string> CleanTensor(std::string_view tensor);

// The blobs of one value. `texts` owns blobs that are stored as numbers; `blobs` points into
// `texts` and into the value.
struct BlobSequence {
  std::vector<std::string> texts;
  std::vector<std::string_view> blobs;
};
Result<BlobSequence> BlobsOfValue(const reader::TagInfo& info, std::string_view value);

// The number of blobs that BlobsOfValue() returns, from the first bytes of a value of `value_bytes`
// bytes, so that an image need not be read completely. Fails with kTruncated if the first bytes are
// not enough.
Result<std::size_t> CountBlobs(const reader::TagInfo& info, std::string_view first_bytes,
                               std::size_t value_bytes);

}  // namespace cboard::data_server
