#include <fmt/format.h>

#include <cmath>

#include "query/file_diff.hpp"
#include "text/json.hpp"
#include "text/show_quantity.hpp"
#include "text/text_table.hpp"

namespace echo::query {

static std::string rank_text(std::int64_t rank) { return rank == 0 ? "-" : text::show_count(rank); }

static std::string value_text(double value) { return std::isnan(value) ? "-" : fmt::format("{:.6g}", value); }

static std::string causes_text(const FileDiff& diff) {
  if (diff.causes.empty()) return "space, presets, calibration, code and settings are the same\n";
  std::string text = "the files differ in:";
  for (const std::string& cause : diff.causes) text += " " + cause;
  return text + (diff.causes.size() > 1 ? "  (the files do not show which of these changed a row)\n" : "\n");
}

std::string diff_text(const FileDiff& diff) {
  std::string text = causes_text(diff);
  text += fmt::format("configs: {} in both, {} only in the first, {} only in the second\n",
                      text::show_count(diff.both), text::show_count(diff.only_first),
                      text::show_count(diff.only_second));
  for (const StatusChange& change : diff.status)
    text += fmt::format("status: {} -> {}: {}\n", change.from, change.to, text::show_count(change.rows));
  if (!diff.metrics.empty()) {
    text::TextTable table({"<metric", "rows changed", "largest", "<of"});
    for (const MetricChange& change : diff.metrics) {
      const bool known = !std::isnan(change.largest);
      table.add({change.metric, text::show_count(change.rows),
                 known ? fmt::format("{:+.3g} %", 100.0 * change.largest) : "-",
                 known ? fmt::format("{:016x}", change.config_id) : ""});
    }
    text += "\n" + table.text();
  }
  if (!diff.ranks.empty()) {
    text::TextTable table({"rank", "now", "<id", diff.by.metric, "now", "<because"});
    for (const RankChange& change : diff.ranks)
      table.add({rank_text(change.from), rank_text(change.to), fmt::format("{:016x}", change.config_id),
                 value_text(change.before), value_text(change.after), change.cause});
    text += "\n" + table.text();
  }
  return text + (diff.is_equal() ? "no difference in any row\n" : "");
}

std::string diff_json(const FileDiff& diff) {
  text::Json json;
  json.open_object().member("equal", diff.is_equal()).member("both", diff.both);
  json.member("only_first", diff.only_first).member("only_second", diff.only_second);
  json.key("differ_in").open_array();
  for (const std::string& cause : diff.causes) json.value(cause);
  json.close().key("status").open_array();
  for (const StatusChange& change : diff.status)
    json.open_object()
        .member("from", change.from)
        .member("to", change.to)
        .member("rows", change.rows)
        .close();
  json.close().key("metrics").open_array();
  for (const MetricChange& change : diff.metrics) {
    json.open_object().member("metric", change.metric).member("rows", change.rows);
    json.member("largest", change.largest)
        .member("config_id", fmt::format("{:016x}", change.config_id))
        .close();
  }
  json.close().member("ranked_by", diff.by.metric).key("ranks").open_array();
  for (const RankChange& change : diff.ranks) {
    json.open_object().member("config_id", fmt::format("{:016x}", change.config_id));
    json.member("from", change.from).member("to", change.to).member("before", change.before);
    json.member("after", change.after).member("cause", change.cause).close();
  }
  json.close().close();
  return json.text();
}

}  // namespace echo::query
