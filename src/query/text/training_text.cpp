#include "query/text/training_text.hpp"

#include <fmt/format.h>

#include <cmath>

#include "text/show_quantity.hpp"

namespace echo::query {
namespace {

using results::Table;

double number(const Table& table, const char* column, std::int64_t row) {
  return table.find(column) == nullptr ? std::nan("") : table.number(column, row);
}

// "19.2 d (17.1 to 21.6)" in 8 of 10 cases, where the error of a step is known.
template <class Show>
std::string with_range(double value, double band, Show show) {
  if (!std::isfinite(band)) return show(value);
  return fmt::format("{} ({} to {})", show(value), show(value * std::exp(-band)),
                     show(value * std::exp(band)));
}

std::string why_no_cost(const Table& table, std::int64_t row) {
  if (table.state().terms.economics.currency.empty())
    return "  cost unknown: no price is given ([economics] gpu_hour)\n";
  const std::string gpu = table.text("gpu", row), cluster = table.text("cluster", row);
  return fmt::format(
      "  cost unknown: [economics] has no price of {} or {}, or prices electricity and the energy "
      "is unknown\n",
      gpu, cluster);
}

std::string why_no_energy(const Table& table, std::int64_t row) {
  return fmt::format("  energy unknown: the catalog has no power of GPU {} or of the nodes of {}\n",
                     table.text("gpu", row), table.text("cluster", row));
}

std::string failures_text(const Table& table, std::int64_t row) {
  const double goodput = number(table, "goodput", row), p50 = number(table, "train_time_p50", row),
               p90 = number(table, "train_time_p90", row);
  if (!std::isfinite(goodput) || !std::isfinite(p90)) return "";
  return fmt::format(
      "  {} of that time advances training, a checkpoint every {}; done in {} with a chance of 50 %, in {} "
      "with "
      "90 %\n",
      text::show_share(goodput), text::show_duration(number(table, "checkpoint_interval", row)),
      text::show_days(p50), text::show_days(p90));
}

}  // namespace

std::string training_text(const Table& table, std::int64_t row) {
  const double time = number(table, "train_time", row), hours = number(table, "gpu_hours", row);
  if (std::isinf(time))
    return "training of #1: it never ends, failures leave no time to advance (goodput 0)\n";
  if (!std::isfinite(time) || !std::isfinite(hours)) return "";
  const double band = number(table, "rel_error_p90", row), cost = number(table, "cost", row),
               energy = number(table, "energy", row), carbon = number(table, "carbon", row);
  const std::string currency = table.state().terms.economics.currency;
  std::string text = "training of #1: " + with_range(time, band, text::show_days);
  text += ", " + text::show_count(std::llround(hours)) + " GPU-hours";
  if (std::isfinite(cost)) text += ", " + with_range(cost, band, text::show_amount) + " " + currency;
  if (std::isfinite(energy)) text += ", " + text::show_energy(energy);
  if (std::isfinite(carbon)) text += ", " + text::show_mass(carbon) + " CO2";
  const std::string failures = table.state().reliability.empty() ? "without failures" : "failures included";
  text += (std::isfinite(band) ? "; in brackets: 8 of 10 cases, " : "; ") + failures + "\n";
  text += failures_text(table, row);
  if (!std::isfinite(cost)) text += why_no_cost(table, row);
  if (!std::isfinite(energy)) text += why_no_energy(table, row);
  return text;
}

}  // namespace echo::query
