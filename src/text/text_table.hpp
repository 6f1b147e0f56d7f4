// Aligned columns of text with headings.
#pragma once

#include <string>
#include <vector>

namespace echo::text {

class TextTable {
 public:
  // A heading that starts with '<' is aligned left (the mark is not shown), all others right.
  explicit TextTable(std::vector<std::string> headings) : headings_(std::move(headings)) {}
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  // One line per row, two blanks between columns, no trailing blanks.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::string markdown() const;  // as a Markdown table

 private:
  std::vector<std::string> headings_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace echo::text
