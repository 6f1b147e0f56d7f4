#include "machine_files/xml_tags.hpp"

#include <algorithm>

namespace echo::machine_files {
namespace {

constexpr std::size_t most_tags = 2'000'000, most_bytes = std::size_t{256} << 20, deepest = 16;

class TagReader {
 public:
  TagReader(const std::string& text, const std::string& file, Problems& problems)
      : text_(text), file_(file), problems_(problems) {}

  std::vector<XmlTag> read() {
    if (text_.size() > most_bytes) {
      wrong("the file is larger than 256 MiB", "give the XML of one algorithm");
      return {};
    }
    while (next()) {
    }
    if (!stopped_ && !open_.empty())
      wrong("<" + open_.back() + "> is not closed", "add </" + open_.back() + ">");
    return std::move(tags_);
  }

 private:
  // Advances `at_`, and counts lines.
  void advance(std::size_t to) {
    for (; at_ < to; ++at_)
      if (text_[at_] == '\n') ++line_, line_begin_ = at_ + 1;
  }
  [[nodiscard]] Place here(std::size_t length = 1) const {
    return {file_, line_, static_cast<std::int32_t>(at_ - line_begin_ + 1),
            static_cast<std::int32_t>(length)};
  }
  bool wrong(const std::string& what, const std::string& remedy) {
    problems_.error(here(), what, remedy);
    stopped_ = true;
    return false;
  }
  void skip_blanks() { advance(std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size())); }
  // Behind `end`, or a problem.
  bool skip_past(std::string_view end, const char* what) {
    const std::size_t found = text_.find(end, at_);
    if (found == std::string::npos) return wrong(std::string(what) + " has no end", "close it");
    advance(found + end.size());
    return true;
  }
  std::string word() {
    const std::size_t end = std::min(text_.find_first_of(" \t\r\n=/>\"'<", at_), text_.size());
    std::string out = text_.substr(at_, end - at_);
    advance(end);
    return out;
  }
  bool next() {
    skip_blanks();
    if (at_ >= text_.size()) return false;
    if (text_[at_] != '<') return wrong("this is no tag", "write elements and attributes only");
    if (text_.compare(at_, 4, "<!--") == 0) return skip_past("-->", "the comment");
    if (text_.compare(at_, 2, "<?") == 0) return skip_past("?>", "the declaration");
    if (tags_.size() >= most_tags)
      return wrong("the file has more than 2 million tags", "give a smaller one");
    return tag();
  }
  bool tag() {
    XmlTag tag;
    tag.place = here();
    advance(at_ + 1);
    if (at_ < text_.size() && text_[at_] == '/') {
      tag.opens = false, tag.closes = true;
      advance(at_ + 1);
    }
    tag.name = word();
    if (tag.name.empty()) return wrong("the tag has no name", "write <step ...>");
    if (!attributes(tag)) return false;
    if (tag.opens && !tag.closes) open_.push_back(tag.name);
    if (open_.size() > deepest)
      return wrong("tags are nested deeper than 16", "give the XML of one algorithm");
    if (!tag.opens) {
      if (open_.empty() || open_.back() != tag.name)
        return wrong("</" + tag.name + "> closes nothing", "remove it, or close the tag before");
      open_.pop_back();
    }
    tags_.push_back(std::move(tag));
    return true;
  }
  bool attributes(XmlTag& tag) {
    for (;;) {
      skip_blanks();
      if (at_ >= text_.size()) return wrong("the tag <" + tag.name + " has no end", "close it with >");
      if (text_[at_] == '>') return advance(at_ + 1), true;
      if (text_.compare(at_, 2, "/>") == 0) return tag.closes = true, advance(at_ + 2), true;
      XmlAttribute attribute{word(), "", here()};
      skip_blanks();
      if (attribute.name.empty() || at_ >= text_.size() || text_[at_] != '=')
        return wrong("this is no attribute", "write name=\"value\"");
      advance(at_ + 1);
      skip_blanks();
      if (at_ >= text_.size() || (text_[at_] != '"' && text_[at_] != '\''))
        return wrong("the value of " + attribute.name + " is not in quotes", "write name=\"value\"");
      const std::size_t end = text_.find(text_[at_], at_ + 1);
      if (end == std::string::npos)
        return wrong("the value of " + attribute.name + " has no end", "close it");
      advance(at_ + 1);
      attribute.value = text_.substr(at_, end - at_);
      attribute.place = here(std::max<std::size_t>(attribute.value.size(), 1));
      advance(end + 1);
      tag.attributes.push_back(std::move(attribute));
    }
  }

  const std::string& text_;
  const std::string& file_;
  Problems& problems_;
  std::vector<XmlTag> tags_;
  std::vector<std::string> open_;
  std::size_t at_ = 0, line_begin_ = 0;
  std::int32_t line_ = 1;
  bool stopped_ = false;
};

}  // namespace

std::vector<XmlTag> tags_of(const std::string& text, const std::string& file, Problems& problems) {
  return TagReader(text, file, problems).read();
}

}  // namespace echo::machine_files
