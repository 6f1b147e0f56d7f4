#include "validation/validated_table.hpp"

#include <fmt/format.h>

#include "text/show_quantity.hpp"

namespace echo::validation {

text::TextTable error_columns(const std::string& first) {
  return text::TextTable({"<" + first, "rows", "median", "mean", "p90", "max", "bias"});
}

std::vector<std::string> error_cells(const std::string& name, const accuracy::ErrorSummary& s) {
  if (s.scored == 0) return {name, "0", "-", "-", "-", "-", "-"};
  return {name,
          std::to_string(s.scored),
          text::show_share(s.median_ape),
          text::show_share(s.mean_ape),
          text::show_share(s.p90_ape),
          text::show_share(s.max_ape),
          fmt::format("{:+.1f} %", 100 * s.bias)};
}

text::TextTable error_table(const std::string& first, const accuracy::GroupErrors& groups,
                            const accuracy::ErrorSummary& all) {
  text::TextTable table = error_columns(first);
  for (const auto& [group, summary] : groups)
    table.add(error_cells(group.empty() ? "(none)" : group, summary));
  table.add(error_cells("all", all));
  return table;
}

std::string error_table_text(const std::string& first, const std::vector<accuracy::Comparison>& comparisons) {
  return error_table(first, accuracy::summarise_by_group(comparisons), accuracy::summarise(comparisons))
      .text();
}

void add_errors(text::Json& json, const accuracy::ErrorSummary& s) {
  json.member("scored", s.scored).member("median_ape", s.median_ape).member("mean_ape", s.mean_ape);
  json.member("p90_ape", s.p90_ape).member("max_ape", s.max_ape).member("bias", s.bias);
}

void add_errors_by_group(text::Json& json, const accuracy::GroupErrors& groups) {
  for (const auto& [group, summary] : groups) {
    json.key(group).open_object();
    add_errors(json, summary);
    json.close();
  }
}

std::string skipped_text(const std::map<std::string, int>& rows_by_reason) {
  std::string out;
  for (const auto& [reason, count] : rows_by_reason) out += fmt::format("skipped {:5}  {}\n", count, reason);
  return out;
}

void add_skipped(text::Json& json, const std::map<std::string, int>& rows_by_reason) {
  json.key("skipped").open_object();
  for (const auto& [reason, count] : rows_by_reason) json.member(reason, count);
  json.close();
}

}  // namespace echo::validation
