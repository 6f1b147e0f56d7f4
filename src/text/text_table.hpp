// Aligned columns of text with headings.
#pragma once

#include <string>
#include <vector>

namespace echo::text {

class TextTable {
 public:
  // A heading that starts with '<' is aligned left (the mark is not shown), all others right.
  explicit TextTable(std::vector<std::string> headings) : headings_(std::move(headings)) {}
  // Cells are shown as printable() has them.
  void add(std::vector<std::string> cells);
  // One line per row, two blanks between columns, no trailing blanks.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::string markdown() const;  // as a Markdown table

 private:
  std::vector<std::string> headings_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace echo::text
