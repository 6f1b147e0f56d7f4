#include "text/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/contract.hpp"
#include "base/printable.hpp"

namespace echo::text {

void TextTable::add(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
}

std::string TextTable::text() const {
  std::vector<std::string> titles = headings_;
  std::vector<bool> left(titles.size(), false);
  std::vector<std::size_t> widths(titles.size());
  for (std::size_t i = 0; i < titles.size(); ++i) {
    left[i] = titles[i].starts_with('<');
    if (left[i]) titles[i].erase(0, 1);
    widths[i] = titles[i].size();
  }
  for (const auto& row : rows_) {
    ECHO_EXPECT(row.size() == titles.size());
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string all;
  const auto add_line = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) line += "  ";
      line +=
          left[i] ? fmt::format("{:<{}}", cells[i], widths[i]) : fmt::format("{:>{}}", cells[i], widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    all += line + "\n";
  };
  add_line(titles);
  for (const auto& row : rows_) add_line(row);
  return all;
}

std::string TextTable::markdown() const {
  const auto line = [](const std::vector<std::string>& cells) {
    std::string out = "|";
    for (const std::string& cell : cells) out += " " + cell + " |";
    return out + "\n";
  };
  std::vector<std::string> titles = headings_;
  std::string rule = "|";
  for (std::string& title : titles) {
    if (title.starts_with('<')) title.erase(0, 1);
    rule += "---|";
  }
  std::string all = line(titles) + rule + "\n";
  for (const auto& row : rows_) all += line(row);
  return all;
}

}  // namespace echo::text
