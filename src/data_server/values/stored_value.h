// Logged values in the form that TensorBoard's plugins read: everything is a TensorProto or a
// sequence of blobs. Values of old writers (images, sounds, histograms) are converted as
// TensorBoard's data server does.
//
// Input is what ReadBlob returns: a Summary.Value, or for tags that are events of their own the
// GraphDef or RunMetadata itself. All functions fail with kDataLoss when the value is damaged or
// something else; such values are left out of responses.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/reader/snapshot.h"

namespace cboard::data_server {

// A serialized TensorProto that every protobuf library accepts: a damaged one would make a client
// reject the whole response.
Result<std::string> TensorOfValue(std::string_view value);

// The same for a serialized TensorProto: unknown fields and names of dimensions are dropped.
Result<std::string> CleanTensor(std::string_view tensor);

// One value of a blob series. `texts` owns what the value stores as numbers, `blobs` points into it
// and into the value.
struct BlobSequence {
  std::vector<std::string> texts;
  std::vector<std::string_view> blobs;
};
Result<BlobSequence> BlobsOfValue(const reader::TagInfo& info, std::string_view value);

// How many blobs BlobsOfValue returns, from the first bytes of a value of `value_bytes` bytes: an
// image need not be read for that. Fails with kTruncated when these do not tell.
Result<std::size_t> CountBlobs(const reader::TagInfo& info, std::string_view first_bytes,
                               std::size_t value_bytes);

}  // namespace cboard::data_server
