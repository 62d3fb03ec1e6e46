// Converts Markdown to HTML that is safe to put into a page, like TensorBoard's
// markdown_to_safe_html.
//
// The source is not trusted. Only the elements below are written, with no attributes except the
// address and title of links and images. Raw HTML in the source becomes text, and addresses are
// kept only if they are relative or begin with http, https or mailto.
//
//   ul ol li p pre code blockquote h1…h6 hr br strong em a img table thead tbody tr th td
#pragma once

#include <string>
#include <string_view>

namespace cboard::server {

// Converts CommonMark with tables. Bytes that are not UTF-8 become U+FFFD, NUL bytes are removed.
std::string MarkdownToSafeHtml(std::string_view source);

// Escapes `text` for HTML.
std::string EscapeHtml(std::string_view text);

}  // namespace cboard::server
