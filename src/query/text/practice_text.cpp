#include "query/text/practice_text.hpp"

#include <fmt/format.h>

#include "base/at.hpp"
#include "simulate/report/practice.hpp"
#include "text/show_quantity.hpp"

namespace echo::query {

namespace {

using results::Table;
using simulate::Choice;

bool is_untried(const Table& table, std::int64_t row, std::int32_t choice) {
  return (table.integer("untried", row) >> choice & 1) != 0;
}

// "vpp 24", "overlap_tp on", "schedule dual_pipe".
std::string choice_text(const Table& table, std::int64_t row, Choice choice) {
  const std::string name(simulate::choice_names[at(choice)]);
  switch (choice) {
    case Choice::gpu:
      return "any run on this GPU kind";
    case Choice::sequence_parallel:
    case Choice::overlap_tp:
    case Choice::offload_optimizer:
      return name + (table.integer(name, row) != 0 ? " on" : " off");
    default:
      const bool is_coded = !table.at(name).meanings.empty();
      return name + " " + (is_coded ? table.text(name, row) : fmt::format("{}", table.integer(name, row)));
  }
}

}  // namespace

std::string untried_text(const Table& table, std::int64_t row, std::int64_t known) {
  std::string text;
  if (table.find("untried") == nullptr) return text;
  for (std::int32_t i = 0; i < simulate::choice_count; ++i)
    if (is_untried(table, row, i) && (known >> i & 1) == 0)
      text += (text.empty() ? "" : ", ") + choice_text(table, row, static_cast<Choice>(i));
  return text;
}

std::string untried_text(const Table& table) {
  std::string text;
  if (table.find("untried") == nullptr) return text;
  for (std::int32_t i = 0; i < simulate::choice_count; ++i) {
    std::int64_t rows = 0;
    for (std::int64_t row = 0; row < table.rows(); ++row) rows += is_untried(table, row, i) ? 1 : 0;
    if (rows == 0) continue;
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", simulate::choice_names[at(i)],
                        rows == table.rows() ? "all rows" : fmt::format("{} of {} rows", rows, table.rows()));
  }
  return text.empty() ? text : "no published run of the GPU kind had these values: " + text + "\n";
}

std::string claim_text(const Table& table, std::int64_t row) {
  if (table.find("best_published_mfu") == nullptr) return "";
  const double mfu = table.number("mfu", row), best = table.number("best_published_mfu", row);
  if (!(mfu > best)) return "";
  return fmt::format(
      "#{} claims {} MFU, more than any published run of its GPU kind, number format and kind of model: the "
      "best reached {}\n",
      row + 1, text::show_share(mfu), text::show_share(best));
}

}  // namespace echo::query
