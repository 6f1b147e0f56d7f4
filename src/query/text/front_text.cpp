#include "query/text/front_text.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/at.hpp"
#include "query/text/result_text.hpp"
#include "results/rank/kept_findings.hpp"
#include "results/rank/objectives.hpp"
#include "results/rank/robust_front.hpp"
#include "text/show_quantity.hpp"

namespace echo::query {

using results::FrontPoint;
using results::Standing;

namespace {

struct Front {
  std::vector<sweep::Objective> objectives;
  std::vector<FrontPoint> points;  // unproven ones last
  std::vector<std::int64_t> rows;  // of the front as predicted
};

Front front_of(const results::ResultRows& rows) {
  Front front{.objectives = results::two_objectives(rows.state().objectives), .points = {}, .rows = {}};
  if (auto kept = results::kept_front(rows))
    front.points = std::move(*kept);
  else
    front.points = results::robust_front(rows, front.objectives[0], front.objectives[1]);
  for (const FrontPoint& point : front.points)
    if (point.standing != Standing::unproven) front.rows.push_back(point.row);
  return front;
}

std::string line_of(const Front& front) {
  std::string line =
      fmt::format("Pareto front ({} x {}): {} point{}", front.objectives[0].metric,
                  front.objectives[1].metric, front.rows.size(), front.rows.size() == 1 ? "" : "s");
  if (results::count_of(front.points, Standing::unjudged) == 0)
    line += fmt::format(", {} robust and {} tied; {} unproven behind it",
                        results::count_of(front.points, Standing::robust),
                        results::count_of(front.points, Standing::tie),
                        text::show_count(results::count_of(front.points, Standing::unproven)));
  return line + "\n";
}

}  // namespace

std::string front_line(const results::ResultRows& rows) { return line_of(front_of(rows)); }

std::string front_text(const results::ResultRows& rows, RankedTable request) {
  const Front front = front_of(rows);
  for (const sweep::Objective& objective : front.objectives) request.metrics.push_back(objective.metric);
  request.note_heading = "<standing";
  for (const FrontPoint& point : front.points) {
    if (point.standing == Standing::unproven) continue;
    std::string note(results::standing_names[at(point.standing)]);
    if (point.rival >= 0) {
      const results::Table rival = rows.pick(std::vector{point.rival});
      note +=
          fmt::format(", {} better {:.0f} %", config_key(rival, 0).substr(0, 8), 100.0 * point.rival_chance);
    }
    request.notes.push_back(std::move(note));
  }
  return line_of(front) + (front.rows.empty() ? "" : ranked_text(rows, rows.pick(front.rows), request));
}

void add_front(text::Json& json, const results::ResultRows& rows) {
  const Front front = front_of(rows);
  json.key("pareto").open_object().key("objectives").open_array();
  for (const sweep::Objective& objective : front.objectives) json.value(objective.metric);
  json.close().key("points").open_array();
  for (const FrontPoint& point : front.points) {
    const results::Table table = rows.pick(std::vector{point.row});
    json.open_object().member("standing", results::standing_names[at(point.standing)]);
    json.member("rival_chance", point.rival_chance);
    add_row(json, table, 0);
    json.close();
  }
  json.close().close();
}

}  // namespace echo::query
