#include "storage/table_bytes.hpp"

#include <span>
#include <sstream>

namespace echo::storage {
namespace {

void add_text(Digest& digest, const std::string& text) {
  digest.add(std::as_bytes(std::span(text.c_str(), text.size() + 1)));
}

}  // namespace

std::string path_of(const TableColumn& column) { return std::string("/") + column.name; }

std::string path_of(const TextGroup& group, std::size_t text) {
  return std::string("/") + group.name + "/" + std::string(group.texts[text]);
}

std::string meanings_text(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : " ") + name;
  return text;
}

std::vector<std::string> names_in(const std::string& meanings) {
  std::istringstream text(meanings);
  std::vector<std::string> names;
  for (std::string name; text >> name;) names.push_back(name);
  return names;
}

void add_column(Digest& digest, const std::vector<std::byte>& bytes, const std::string& meanings) {
  digest.add(bytes);
  add_text(digest, meanings);
}

void add_records(Digest& digest, const TextRecords& records) {
  for (const auto& record : records)
    for (const std::string& text : record) add_text(digest, text);
}

}  // namespace echo::storage
