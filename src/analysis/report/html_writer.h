// Writes HTML and escapes all text from outside.
//
//   html.Raw("<td>").Text(name).Raw("</td>");
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "cboard/base/strings.h"

namespace cboard::analysis {

class HtmlWriter {
 public:
  // Adds markup without escaping: only for our own literals and numbers.
  HtmlWriter& Raw(std::string_view markup) {
    html_ += markup;
    return *this;
  }

  // Adds text with escaping, also inside quoted attributes.
  HtmlWriter& Text(std::string_view text) {
    for (const char c : ToValidUtf8(text)) {
      switch (c) {
        case '&':
          html_ += "&amp;";
          break;
        case '<':
          html_ += "&lt;";
          break;
        case '>':
          html_ += "&gt;";
          break;
        case '"':
          html_ += "&quot;";
          break;
        case '\'':
          html_ += "&#39;";
          break;
        default:
          html_ += c;
      }
    }
    return *this;
  }

  // Adds <tag class="name">text</tag>; without class if `name` is empty.
  HtmlWriter& Element(std::string_view tag, std::string_view text, std::string_view name = {}) {
    Raw("<").Raw(tag);
    if (!name.empty()) Raw(" class=\"").Raw(name).Raw("\"");
    return Raw(">").Text(text).Raw("</").Raw(tag).Raw(">");
  }

  std::size_t size() const { return html_.size(); }
  std::string Take() { return std::move(html_); }

 private:
  std::string html_;
};

}  // namespace cboard::analysis
