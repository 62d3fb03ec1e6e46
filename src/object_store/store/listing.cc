#include "object_store/store/listing.h"

#include <charconv>
#include <pugixml.hpp>

#include "cboard/base/strings.h"
#include "object_store/store/percent_decoded.h"

namespace cboard::object_store {
Result<ObjectPage> ParseListing(std::string_view xml) {
  pugi::xml_document document;
  const pugi::xml_parse_result parsed = document.load_buffer(xml.data(), xml.size());
  const pugi::xml_node root = document.child("ListBucketResult");
  if (!parsed || !root) {
    return Fail(ErrorCode::kDataLoss,
                "the server's response is not a list of the bucket's objects; check the address of "
                "the bucket. The response was " +
                    Quoted(xml.substr(0, 200), 200));
  }
  const bool is_encoded = std::string_view(root.child("EncodingType").text().get()) == "url";
  ObjectPage page;
  for (const pugi::xml_node entry : root.children("Contents")) {
    ObjectInfo object;
    object.key = entry.child("Key").text().get();
    if (is_encoded) object.key = PercentDecoded(object.key);
    const std::string_view size = entry.child("Size").text().get();
    const auto read = std::from_chars(size.data(), size.data() + size.size(), object.size);
    if (read.ec != std::errc() || read.ptr != size.data() + size.size() || object.key.empty()) {
      return Fail(ErrorCode::kDataLoss,
                  "the server listed an object of the bucket without a key or size");
    }
    object.etag = entry.child("ETag").text().get();
    page.objects.push_back(std::move(object));
  }
  if (std::string_view(root.child("IsTruncated").text().get()) == "true") {
    page.next = root.child("NextContinuationToken").text().get();
    if (page.next.empty()) {
      return Fail(ErrorCode::kDataLoss,
                  "the server's list of objects is incomplete: it has further pages but no "
                  "continuation token");
    }
  }
  return page;
}

StoreError ParseStoreError(std::string_view xml) {
  pugi::xml_document document;
  if (!document.load_buffer(xml.data(), xml.size())) return {};
  const pugi::xml_node root = document.child("Error");
  return {root.child("Code").text().get(), root.child("Message").text().get()};
}

}  // namespace cboard::object_store
