// Codes of names: a column of models or clusters stores a small number, and its attributes map numbers to
// names.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "results/columns.hpp"
#include "simulate/catalog.hpp"

namespace echo::results {

// The codes of one file: only names that its rows use, in alphabetical order, so that codes do not depend on
// the catalogue's order. Limits are the exception: "none", then those of the sweep in its order, used or
// not.
class CodeTables {
 public:
  // `used`: indices into the catalogue; `carried`: names that rows of older files use.
  CodeTables(const std::map<Names, std::set<std::int64_t>>& used,
             const std::map<Names, std::set<std::string>>& carried, const simulate::Catalog&,
             const std::vector<std::string>& limit_names);
  // Contract: index and name were among those given.
  [[nodiscard]] std::int8_t code(Names kind, std::int64_t index) const { return codes_.at(kind).at(index); }
  [[nodiscard]] std::int8_t code(Names kind, const std::string& name) const;
  // In code order; empty where not coded.
  [[nodiscard]] std::vector<std::string> meanings(const Column&) const;

 private:
  std::map<Names, std::map<std::int64_t, std::int8_t>> codes_;
  std::map<Names, std::vector<std::string>> meanings_;
};

[[nodiscard]] inline bool names_a_table(const Column& column) {
  return column.names != Names::none && column.names != Names::fixed;
}

}  // namespace echo::results
