// Tags of an XML text with their attributes and places: elements and attributes only, as MSCCL writes them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/problems.hpp"

namespace echo::machine_files {

struct XmlAttribute {
  std::string name, value;
  Place place;  // of the value
};
struct XmlTag {
  std::string name;
  std::vector<XmlAttribute> attributes;
  Place place;
  bool opens = true, closes = false;  // <a>; </a>; both of <a/>
};

// In the order of the text; declarations and comments are passed over. Whatever is no tag but blanks is a
// problem, and so are tags that do not close in order.
[[nodiscard]] std::vector<XmlTag> tags_of(const std::string& text, const std::string& file, Problems&);

}  // namespace echo::machine_files
