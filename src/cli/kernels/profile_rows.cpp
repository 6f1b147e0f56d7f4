#include "cli/kernels/profile_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "base/at.hpp"
#include "base/named_table.hpp"
#include "kernels/database/price_known.hpp"
#include "ops/describe.hpp"
#include "ops/kernel_fields.hpp"
#include "query/rank/where.hpp"
#include "storage/profile_values.hpp"
#include "storage/table_schema.hpp"
#include "text/json.hpp"
#include "text/show_quantity.hpp"
#include "text/text_table.hpp"

namespace echo::cli {

namespace {

using kernels::Profile;
using results::ColumnValues;

// Text values of coded columns, which expressions can compare; numbers for other columns.
ColumnValues values_of(const storage::TableColumn& column, const Profile& profile) {
  ColumnValues out;
  out.name = column.name;
  out.role = column.role;
  out.units = column.units;
  out.type = column.type;
  out.meanings.assign(column.meanings.begin(), column.meanings.end());
  if (out.name == "gpu") out.meanings = profile.gpus;
  const auto access = storage::profile_access(column.name);
  const ops::KernelField* field = ops::kernel_field(column.name);
  for (const kernels::Measurement& row : profile.rows) {
    if (field != nullptr)
      out.integers.push_back(field->get(row.key));
    else if (out.is_real())
      out.reals.push_back(access->get(row));
    else
      out.integers.push_back(static_cast<std::int64_t>(access->get(row)));
  }
  return out;
}

ColumnValues real_column(const char* name, const char* units, std::vector<double> values) {
  ColumnValues out;
  out.name = name;
  out.role = "modelled";
  out.units = units;
  out.type = storage::ElementType::f8;
  out.reals = std::move(values);
  return out;
}

double off_model(const results::Table& table, std::int64_t row) {
  const double ratio = table.number("ratio", row);
  return std::isfinite(ratio) ? std::abs(std::log(ratio)) : -1.0;
}

}  // namespace

results::Table profile_rows(const Profile& profile, const config::CatalogInputs& presets) {
  std::vector<ColumnValues> columns;
  for (const storage::TableColumn& column : storage::profile_schema().columns) {
    const std::string_view name(column.name);
    if (name != "row" && name != "origin") columns.push_back(values_of(column, profile));
  }
  std::vector<double> modelled, ratio;
  for (const kernels::Measurement& row : profile.rows) {
    const std::int32_t gpu = find_named(presets.catalog.gpus, profile.gpus[at(row.gpu)]);
    std::optional<SimTime> price;
    if (gpu >= 0)
      price = kernels::modelled_alike(row, presets.catalog.gpus[at(gpu)], presets.calibration.kernels);
    modelled.push_back(price ? to_seconds(*price) : std::numeric_limits<double>::quiet_NaN());
    ratio.push_back(row.seconds / modelled.back());
  }
  columns.push_back(real_column("modelled", "s", std::move(modelled)));
  columns.push_back(real_column("ratio", "1", std::move(ratio)));
  return results::Table(std::move(columns));
}

std::string flags_text(const ops::KernelKey& key) {
  const ops::KernelKey plain;
  std::string text;
  for (const ops::KernelField& field : ops::kernel_fields()) {
    const std::int32_t value = field.get(key);
    const bool always = field.name == "precision" || field.name == "library";
    if (field.name == "kind" || field.name == "layout" || (!always && value == field.get(plain))) continue;
    const bool shape = field.name == "m" || field.name == "n" || field.name == "k" || field.name == "batch";
    if (shape) continue;
    text += text.empty() ? "" : " ";
    if (field.names.empty())
      text += fmt::format("{} {}", field.name, value);
    else
      text += field.names.size() == 2 ? field.name : field.names[at(value)];
  }
  return text;
}

std::string conditions_text(kernels::RowScope scope, bool sustained) {
  return std::string(scope == kernels::RowScope::serving ? " serving" : "") + (sustained ? " sustained" : "");
}

std::vector<std::int64_t> chosen_rows(const results::Table& table, const std::string& where,
                                      std::int64_t top) {
  query::RowFilter filter(table, where);
  std::vector<std::int64_t> chosen;
  if (filter.columns().empty()) {
    for (std::int64_t row = 0; row < table.rows(); ++row) chosen.push_back(row);
  } else {
    for (results::Scan scan(table, filter.columns()); scan.next();)
      for (std::int64_t i = 0; i < scan.count(); ++i)
        if (filter.keeps(scan, 0, i)) chosen.push_back(scan.first() + i);
  }
  if (top == 0 || std::ssize(chosen) <= top) return chosen;
  std::stable_sort(chosen.begin(), chosen.end(),
                   [&](std::int64_t a, std::int64_t b) { return off_model(table, a) > off_model(table, b); });
  chosen.resize(at(top));
  return chosen;
}

std::string rows_text(const Profile& profile, const results::Table& table,
                      const std::vector<std::int64_t>& chosen) {
  text::TextTable text(
      {"<GPU", "<kernel", "<", "measured", "modelled", "ratio", "spread", "clock", "<origin"});
  for (const std::int64_t row : chosen) {
    const kernels::Measurement& one = profile.rows[at(row)];
    const kernels::Origin& origin = profile.origins[at(one.origin)];
    const double modelled = table.number("modelled", row), ratio = table.number("ratio", row);
    text.add({profile.gpus[at(one.gpu)], ops::describe(one.key),
              flags_text(one.key) + conditions_text(one.scope, one.sustained), text::show_time(one.seconds),
              text::show_time(modelled), std::isfinite(ratio) ? fmt::format("{:.3f}", ratio) : "-",
              one.spread > 0.0 ? text::show_share(one.spread) : "-",
              one.clock_mhz > 0.0 ? fmt::format("{:.0f} MHz", one.clock_mhz) : "-",
              origin.library_version + (origin.library_version.empty() ? "" : " ") + origin.table});
  }
  return text.text() +
         fmt::format("{} of {} rows\n", text::show_count(std::ssize(chosen)), text::show_count(table.rows()));
}

std::string rows_json(const results::Table& table, const std::vector<std::int64_t>& chosen) {
  text::Json json;
  json.open_array();
  for (const std::int64_t row : chosen) {
    json.open_object();
    for (const results::ColumnInfo& column : table.columns()) {
      json.key(column.name);
      if (!column.meanings.empty())
        json.value(table.text(column.name, row));
      else if (column.is_real())
        json.value(table.number(column.name, row));
      else
        json.value(table.integer(column.name, row));
    }
    json.close();
  }
  return json.close().text();
}

}  // namespace echo::cli
