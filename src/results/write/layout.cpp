#include "results/write/layout.hpp"

#include <algorithm>
#include <span>
#include <string_view>

#include "base/at.hpp"
#include "base/lane.hpp"
#include "results/rank/row_errors.hpp"
#include "results/write/block.hpp"
#include "simulate/schedule_rules.hpp"
#include "sweep/language/metric.hpp"
#include "training/memory/memory.hpp"

namespace echo::results {
namespace {

using storage::Hdf5File;

// "min", "max", or "" where neither is better.
std::string goal_of(const Column& column, const std::vector<sweep::Objective>& objectives) {
  if (objectives.empty()) return column.objective;
  const auto found = std::ranges::find(objectives, column.path, &sweep::Objective::metric);
  if (found == objectives.end()) return "";
  return found->goal == sweep::Goal::min ? "min" : "max";
}

// "gpu" of "error_arithmetic"; "" of columns that are no contribution to an error.
std::string_view owner_of_error(std::string_view column) {
  for (std::size_t k = 0; k < error_source_names.size(); ++k)
    if (column == error_column(static_cast<ErrorSource>(k)))
      return error_owner_names[at(owner_of(static_cast<ErrorSource>(k)))];
  return "";
}

// With the sweep's word for money.
std::string units_of(const Column& column, const std::string& currency) {
  constexpr std::string_view money = "currency";
  const std::string_view units = column.units;
  if (!units.starts_with(money)) return column.units;
  return currency.empty() ? "1" : currency + std::string(units.substr(money.size()));
}

void describe_column(Hdf5File& file, const Column& column, const CodeTables& codes, const std::string& goal,
                     const std::string& currency) {
  const std::string path = path_of(column);
  file.set_attribute(path, "units", units_of(column, currency));
  file.set_attribute(path, "long_name", column.long_name);
  file.set_attribute(path, "description", column.description);
  file.set_attribute(path, "role", name_of(column.role));
  if (!goal.empty()) file.set_attribute(path, "objective", goal);
  if (const sweep::Metric* metric = sweep::find_metric(column.path); metric != nullptr)
    file.set_attribute(path, "error_follows", std::string(name_of(metric->error)));
  if (const std::string_view owner = owner_of_error(column.path); !owner.empty())
    file.set_attribute(path, "shared_by", std::string(owner));
  if (column.names == Names::none) return;
  const auto meanings = codes.meanings(column);
  if (meanings.empty()) return;  // a file without rows names nothing
  std::vector<std::int8_t> values;
  std::string joined;
  for (const std::string& meaning : meanings) {
    values.push_back(static_cast<std::int8_t>(values.size()));
    joined += (joined.empty() ? "" : " ") + meaning;
  }
  file.set_attribute(path, "flag_values", values);
  file.set_attribute(path, "flag_meanings", joined);
}

void make_part_scale(Hdf5File& file, const std::string& path, std::span<const std::string_view> names,
                     const char* long_name) {
  file.make_texts(path, std::vector<std::string>(names.begin(), names.end()));
  file.make_scale(path);
  file.set_attribute(path, "long_name", long_name);
}

}  // namespace

void make_columns(Hdf5File& file, std::int64_t rows, const CodeTables& codes, const FileHeader& header) {
  file.make_group("/breakdown");
  make_part_scale(file, "/breakdown/part", time_category_names, "cause of step time");
  make_part_scale(file, "/breakdown/mem_part", training::memory_part_names, "content of memory");
  for (const Column& column : column_table()) {
    storage::DatasetSpec spec{path_of(column), column.type, {static_cast<std::uint64_t>(rows)}, {}};
    const bool is_wide = width_of(column) > 1;
    if (rows > 0)
      spec.chunk = {static_cast<std::uint64_t>(std::min(rows, is_wide ? wide_chunk_rows : block_rows))};
    if (is_wide) {
      spec.shape.push_back(static_cast<std::uint64_t>(width_of(column)));
      if (rows > 0) spec.chunk.push_back(spec.shape.back());
    }
    file.make_dataset(spec);
    if (column.role == Role::scale)
      file.make_scale(spec.path);
    else
      file.attach_scale(spec.path, 0, "/config");
    if (is_wide) file.attach_scale(spec.path, 1, std::string("/breakdown/") + column.dimension);
    describe_column(file, column, codes, goal_of(column, header.objectives), header.terms.economics.currency);
  }
}

void write_rules(Hdf5File& file, const CodeTables& codes) {
  const auto column = std::ranges::find(column_table(), Names::rules, &Column::names);
  std::vector<std::string> words, texts, axes;
  for (const std::string& word : codes.meanings(*column)) {
    const Refusal refusal = simulate::refusal_named(word);
    words.push_back(word);
    texts.emplace_back(refusal ? refusal.text : word);  // a carried row may know a rule of an earlier version
    axes.emplace_back(refusal.axes);
  }
  if (words.empty()) return;
  file.make_group("/rules");
  file.make_texts("/rules/word", words);
  file.make_scale("/rules/word");
  file.make_texts("/rules/text", texts);
  file.make_texts("/rules/axes", axes);
  for (const char* const path : {"/rules/text", "/rules/axes"}) file.attach_scale(path, 0, "/rules/word");
}

void describe_groups(Hdf5File& file) {
  for (const Group& group : group_table())
    if (file.has(group.path)) file.set_attribute(group.path, "description", group.description);
}

}  // namespace echo::results
