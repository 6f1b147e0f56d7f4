#include "query/rank/group_key.hpp"

#include <sstream>

#include "base/error.hpp"
#include "query/text/value_text.hpp"

namespace echo::query {

std::vector<std::string> names_in_list(const std::string& list) {
  std::vector<std::string> names;
  std::istringstream in(list);
  for (std::string name; std::getline(in, name, ',');) {
    const std::size_t first = name.find_first_not_of(' ');
    if (first != std::string::npos)
      names.push_back(name.substr(first, name.find_last_not_of(' ') - first + 1));
  }
  return names;
}

GroupColumns::GroupColumns(const results::ResultRows& rows, const std::string& per)
    : names_(names_in_list(per)) {
  if (names_.size() > most_group_columns)
    throw UserError("--per takes up to four columns, not " + std::to_string(names_.size()),
                    "as in --per model,gpus");
  for (const std::string& name : names_) {
    const results::ColumnInfo& column = rows.at(name);
    if (column.is_real() || column.width != 1 || name == "config_id")
      throw UserError("--per takes coded or integer columns, not \"" + name + "\"",
                      "as in --per model or --per model,gpus");
  }
}

std::string GroupColumns::text(const results::ResultRows& rows, const GroupKey& key) const {
  std::string text;
  for (std::size_t i = 0; i < names_.size(); ++i)
    text += (i > 0 ? ", " : "") + value_text(rows.at(names_[i]), key[i]);
  return text;
}

}  // namespace echo::query
