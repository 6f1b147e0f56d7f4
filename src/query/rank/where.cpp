#include "query/rank/where.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/at.hpp"
#include "base/error.hpp"
#include "config/catalog/fitted/site_file.hpp"
#include "config/sweep_file/what_if_reader.hpp"
#include "config/toml/did_you_mean.hpp"
#include "sweep/axis.hpp"
#include "sweep/language/preset_fields.hpp"
#include "sweep/language/vocabulary.hpp"

namespace echo::query {

using results::ColumnInfo;
using sweep::Type;

namespace {

sweep::Unit unit_of(const ColumnInfo& column) {
  if (column.units == "s") return sweep::in_seconds;
  if (column.units == "byte") return sweep::in_bytes;
  if (column.units == "J") return sweep::in_joules;
  if (column.units == "W") return sweep::in_watts;
  if (column.units == "kg") return sweep::in_kilograms;
  return column.units == "s-1" ? sweep::per_second : sweep::plain;
}

// The type in the sweep language if the column is one of its axes.
Type type_of(const ColumnInfo& column) {
  const auto axis = std::ranges::find(sweep::axis_table, column.name, &sweep::AxisInfo::name);
  if (axis != sweep::axis_table.end() && axis->kind == sweep::AxisKind::flag) return Type::boolean;
  if (axis != sweep::axis_table.end() && axis->kind == sweep::AxisKind::level) return Type::integer;
  if (!column.meanings.empty()) return Type::text;
  return column.is_real() ? Type::real : Type::integer;
}

UserError at_caret(const std::string& expression, const sweep::ExpressionError& error,
                   const std::vector<std::string>& known) {
  const auto& names = error.known.empty() ? known : error.known;
  const std::string remedy = error.unknown_name.empty()
                                 ? error.remedy
                                 : config::suggest(error.unknown_name, names, "echo-sweep describe FILE");
  return UserError(fmt::format("--where: {}\n  {}\n  {}^{}", error.what, expression,
                               std::string(static_cast<std::size_t>(error.offset), ' '),
                               std::string(static_cast<std::size_t>(std::max(0, error.length - 1)), '~')),
                   remedy, 2);
}

}  // namespace

// Columns as the names of an expression; each gets a slot at its first occurrence.
class ColumnSymbols : public sweep::Symbols {
 public:
  ColumnSymbols(const results::ResultRows& rows, RowFilter& filter) : rows_(rows), filter_(filter) {}

  std::optional<sweep::Symbol> find(std::string_view name) override {
    if (const auto field = std::ranges::find(sweep::preset_fields(), name, &sweep::PresetField::name);
        field != sweep::preset_fields().end())
      return find_field(*field);
    const ColumnInfo* column = rows_.find(name);
    if (column == nullptr || column->width != 1 || name == "config_id") return std::nullopt;
    const auto [slot, is_new] = slot_of(name);
    const Type type = type_of(*column);
    if (is_new) {
      filter_.columns_.emplace_back(name);
      filter_.slots_.push_back({type, {}, {}});
      for (std::size_t i = 0; type == Type::text && i < column->meanings.size(); ++i)
        filter_.slots_.back().texts.push_back(intern(column->meanings[i]));
    }
    return sweep::Symbol{slot, type, unit_of(*column)};
  }

  // A preset's field reads the column of the preset, in a slot of its own.
  std::optional<sweep::Symbol> find_field(const sweep::PresetField& field) {
    const std::string owner(sweep::info_of(field.owner).name);
    const ColumnInfo* column = rows_.find(owner);
    if (column == nullptr) return std::nullopt;
    const auto [slot, is_new] = slot_of(field.name);
    if (is_new) {
      filter_.columns_.push_back(owner);
      filter_.slots_.push_back({field.type, {}, {}});
      for (const std::string& preset : column->meanings)
        filter_.slots_.back().fields.push_back(field.value(catalog(), preset_of(field.owner, preset)));
    }
    return sweep::Symbol{slot, field.type, field.unit};
  }

  [[nodiscard]] std::size_t preset_of(sweep::Axis owner, const std::string& preset) {
    const auto names = sweep::vocabulary_of(owner, catalog());
    const auto found = std::ranges::find(names, preset);
    if (found == names.end())
      throw UserError("--where: the catalog has no " + std::string(sweep::info_of(owner).name) + " " + preset,
                      "the presets have changed since the sweep ran; compare columns of the file instead");
    return static_cast<std::size_t>(found - names.begin());
  }

  const simulate::Catalog& catalog() {
    if (!presets_) {
      const std::string& resolved = rows_.state().resolved_toml;
      presets_ = config::read_presets({}, resolved);
      config::apply_what_ifs_again(resolved, presets_->catalog, presets_->calibration);
    }
    return presets_->catalog;
  }

  // The slot of a name, and whether it is the next one.
  std::pair<std::int32_t, bool> slot_of(std::string_view name) {
    const auto known = std::ranges::find(names_, name);
    const auto slot = static_cast<std::int32_t>(known - names_.begin());
    if (known != names_.end()) return {slot, false};
    names_.emplace_back(name);
    return {slot, true};
  }

  std::int64_t intern(std::string_view text) override {
    const auto known = std::ranges::find(texts_, text);
    if (known != texts_.end()) return known - texts_.begin();
    texts_.emplace_back(text);
    return std::ssize(texts_) - 1;
  }

  // A text that no row can have is a mistake.
  std::optional<sweep::ExpressionError> check_comparison(std::string_view name, std::string_view literal,
                                                         std::int32_t offset) override {
    const ColumnInfo* column = rows_.find(name);
    if (column == nullptr || column->meanings.empty()) return std::nullopt;
    if (std::ranges::find(column->meanings, literal) != column->meanings.end()) return std::nullopt;
    sweep::ExpressionError error{.offset = offset, .length = static_cast<std::int32_t>(literal.size())};
    error.what = fmt::format("no row can have {} \"{}\"", name, literal);
    error.unknown_name = literal;
    error.known = column->meanings;
    return error;
  }

 private:
  const results::ResultRows& rows_;
  RowFilter& filter_;
  std::vector<std::string> texts_, names_;  // names_: [slot]
  std::optional<config::CatalogInputs> presets_;
};

RowFilter::RowFilter(const results::ResultRows& rows, const std::string& expression) {
  keeps_all_ = expression.find_first_not_of(' ') == std::string::npos;
  if (keeps_all_) return;
  ColumnSymbols symbols(rows, *this);
  sweep::ExpressionError error;
  const auto code = sweep::compile(expression, symbols, sweep::Division::real, error);
  if (!code) {
    std::vector<std::string> known;
    for (const ColumnInfo& column : rows.columns())
      if (column.width == 1 && column.name != "config_id") known.push_back(column.name);
    for (const sweep::PresetField& field : sweep::preset_fields()) known.emplace_back(field.name);
    throw at_caret(expression, error, known);
  }
  if (code->type != Type::boolean) {
    error = {.offset = 0, .length = static_cast<std::int32_t>(expression.size())};
    error.what = "the expression is not a condition";
    error.remedy = "compare it with a value, as in gpus <= 1024";
    throw at_caret(expression, error, {});
  }
  code_ = *code;
  values_.resize(slots_.size());
}

bool RowFilter::keeps(const results::Scan& scan, std::size_t first_column, std::int64_t row) {
  if (keeps_all_) return true;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const double value = scan.values(first_column + i)[at(row)];
    if (std::isnan(value)) return false;
    const auto number = static_cast<std::int64_t>(value);
    if (!slots_[i].fields.empty()) {
      values_[i] = slots_[i].fields.at(at(number));
      continue;
    }
    values_[i] = {slots_[i].type == Type::real   ? 0
                  : slots_[i].type == Type::text ? slots_[i].texts.at(at(number))
                                                 : number,
                  value};
  }
  const auto kept = sweep::evaluate(code_, values_);
  return kept && kept->number != 0;
}

}  // namespace echo::query
