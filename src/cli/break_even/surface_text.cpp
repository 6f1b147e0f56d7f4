#include "cli/break_even/surface_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "text/csv_cell.hpp"
#include "text/json.hpp"
#include "text/show_quantity.hpp"
#include "text/text_table.hpp"

namespace echo::cli {
namespace {

// A, B, ... Z, A1, B1, ...
std::string letter_of(const Surface& surface, const std::string& kind) {
  const auto found = std::ranges::find(surface.kinds, kind);
  const auto at = static_cast<std::size_t>(found - surface.kinds.begin());
  std::string letter(1, static_cast<char>('A' + at % 26));
  return at < 26 ? letter : letter + std::to_string(at / 26);
}

std::string percent(double share) { return fmt::format("{:.{}f} %", 100.0 * share, share < 0.0995 ? 1 : 0); }

std::string cell_text(const Surface& surface, const SurfaceCell& cell) {
  if (cell.standings.empty()) return "-";
  const std::string letter = letter_of(surface, cell.standings.front().kind);
  if (cell.standings.size() < 2) return letter + " alone";
  return letter + (cell.is_tie() ? " ~" : " ") + percent(cell.gap);
}

std::string winners_table(const Surface& surface) {
  std::vector<std::string> headings{"<" + surface.y.asked};
  for (const AxisPoint& point : surface.x.points) headings.push_back(point.text);
  text::TextTable table(headings);
  for (std::size_t y = 0; y < surface.y.points.size(); ++y) {
    std::vector<std::string> cells{surface.y.points[y].text};
    for (std::size_t x = 0; x < surface.x.points.size(); ++x)
      cells.push_back(cell_text(surface, surface.cell(x, y)));
    table.add(std::move(cells));
  }
  return table.text();
}

std::string kinds_text(const Surface& surface) {
  constexpr std::size_t most_told = 12;
  std::string text;
  for (std::size_t i = 0; i < std::min(most_told, surface.kinds.size()); ++i) {
    const auto cells = std::ranges::count_if(surface.cells, [&](const SurfaceCell& cell) {
      return !cell.standings.empty() && cell.standings.front().kind == surface.kinds[i];
    });
    text += fmt::format("  {}  {}: {} of {} cells\n", letter_of(surface, surface.kinds[i]), surface.kinds[i],
                        cells, surface.cells.size());
  }
  if (surface.kinds.size() > most_told)
    text += fmt::format("  and {} more (--json names all)\n", surface.kinds.size() - most_told);
  return text;
}

std::string boundary_text(const Surface& surface, const Boundary& boundary) {
  const SurfaceAxis& axis = boundary.is_along_x ? surface.x : surface.y;
  const SurfaceAxis& other = boundary.is_along_x ? surface.y : surface.x;
  const std::string low = axis.points[boundary.at].text, high = axis.points[boundary.at + 1].text;
  const std::string where =
      std::isnan(boundary.place)
          ? fmt::format("between {} and {}, where one of them is not ranked on one side", low, high)
          : fmt::format("{} (between {} and {})",
                        axis.text_at(std::stod(fmt::format("{:.3g}", boundary.place))), low, high);
  return fmt::format("  {} {}: {} -> {} at {} {}\n", other.asked, other.points[boundary.other].text,
                     letter_of(surface, boundary.from), letter_of(surface, boundary.to), axis.asked, where);
}

// Along x where there are some, else along y: those of the other axis are the same borders.
std::string boundaries_text(const Surface& surface) {
  if (surface.boundaries.empty()) return "break-even: none, one kind wins in every cell\n";
  constexpr std::size_t most_told = 20;
  const bool along_x = std::ranges::any_of(surface.boundaries, &Boundary::is_along_x);
  std::string text = "break-even\n";
  std::size_t told = 0, left = 0;
  for (const Boundary& boundary : surface.boundaries) {
    if (boundary.is_along_x != along_x) continue;
    if (told < most_told)
      text += boundary_text(surface, boundary), ++told;
    else
      ++left;
  }
  if (left > 0) text += fmt::format("  and {} more (--json names all)\n", left);
  return text;
}

std::string searched_text(const Surface& surface) {
  if (surface.restricted_cells == 0)
    return fmt::format("searched: every point of the sweep for each of {} machines, {} simulations\n",
                       text::show_count(surface.whole_cells), text::show_count(surface.simulations));
  return fmt::format(
      "searched: every point of the sweep for {} machines (corners and middle); for the other {} only the {} "
      "rows that are\n  among the best of one of those: a row that is best in between alone is not found "
      "(--simulations raises the limit); {} simulations\n",
      text::show_count(surface.whole_cells), text::show_count(surface.restricted_cells),
      text::show_count(surface.candidates), text::show_count(surface.simulations));
}

std::int64_t ties_in(const Surface& surface) {
  return std::ranges::count_if(
      surface.cells, [](const SurfaceCell& cell) { return cell.standings.size() > 1 && cell.is_tie(); });
}

void add_axis(const char* name, const SurfaceAxis& axis, text::Json& json) {
  json.key(name).open_object().member("name", axis.asked).key("values").open_array();
  for (const AxisPoint& point : axis.points) json.value(point.text);
  json.close().key("numbers").open_array();
  for (const AxisPoint& point : axis.points) json.value(point.number);
  json.close().close();
}

void add_cell(const Surface& surface, std::size_t x, std::size_t y, text::Json& json) {
  const SurfaceCell& cell = surface.cell(x, y);
  json.open_object().member("x", surface.x.points[x].text).member("y", surface.y.points[y].text);
  json.member("points", cell.points).member("simulated", cell.simulated);
  json.member("unvalued", cell.unvalued);
  json.member("gap", cell.gap).member("chance", cell.chance);
  json.member("is_tie", cell.standings.size() > 1 && cell.is_tie());
  json.key("standings").open_array();
  constexpr std::size_t most_told = 20;
  for (std::size_t i = 0; i < std::min(most_told, cell.standings.size()); ++i) {
    const KindBest& standing = cell.standings[i];
    json.open_object().member("kind", standing.kind).member("value", standing.value);
    json.member("config_id", fmt::format("{:016x}", standing.config_id)).member("layout", standing.layout);
    json.close();
  }
  json.close().close();
}

std::string unvalued_text(const Surface& surface) {
  std::int64_t most = 0;
  for (const SurfaceCell& cell : surface.cells) most = std::max(most, cell.unvalued);
  if (most == 0) return "";
  return fmt::format("left out: rows whose {} is not known, up to {} a cell{}\n", surface.by.metric,
                     text::show_count(most),
                     surface.by.metric == "cost" ? " (a price or a power is missing)" : "");
}

}  // namespace

std::string surface_text(const Surface& surface) {
  std::string text = fmt::format("who wins by {} ({} is better), by {}; rows {}, columns {}\n",
                                 surface.by.metric, surface.by.goal == sweep::Goal::min ? "less" : "more",
                                 surface.kind_axes, surface.y.asked, surface.x.asked);
  text += winners_table(surface) + kinds_text(surface);
  text += "A 12 %: the best row of any other kind is 12 % worse; alone: there is none; -: no row is ranked\n";
  text += fmt::format("~: a tie, the chance that the winner truly is better is below 90 %: {} of {} cells\n",
                      ties_in(surface), surface.cells.size());
  return text + unvalued_text(surface) + boundaries_text(surface) + searched_text(surface);
}

std::string surface_json(const Surface& surface, const std::string& file, const std::string& changed) {
  text::Json json;
  json.open_object().member("file", file).member("changed", changed).member("by", surface.by.metric);
  json.member("goal", surface.by.goal == sweep::Goal::min ? "min" : "max").member("per", surface.kind_axes);
  add_axis("x", surface.x, json);
  add_axis("y", surface.y, json);
  json.key("kinds").open_array();
  for (const std::string& kind : surface.kinds) json.value(kind);
  json.close().key("cells").open_array();
  for (std::size_t y = 0; y < surface.y.points.size(); ++y)
    for (std::size_t x = 0; x < surface.x.points.size(); ++x) add_cell(surface, x, y, json);
  json.close().key("boundaries").open_array();
  for (const Boundary& boundary : surface.boundaries) {
    const SurfaceAxis& axis = boundary.is_along_x ? surface.x : surface.y;
    const SurfaceAxis& other = boundary.is_along_x ? surface.y : surface.x;
    json.open_object().member("axis", boundary.is_along_x ? "x" : "y");
    json.member("other", other.points[boundary.other].text);
    json.member("after", axis.points[boundary.at].text).member("before", axis.points[boundary.at + 1].text);
    json.member("from", boundary.from).member("to", boundary.to).member("place", boundary.place).close();
  }
  json.close().key("searched").open_object().member("whole_cells", surface.whole_cells);
  json.member("restricted_cells", surface.restricted_cells).member("candidates", surface.candidates);
  json.member("simulations", surface.simulations).close().close();
  return json.text();
}

std::string surface_csv(const Surface& surface) {
  std::string text =
      fmt::format("{},{},{},winner,config_id,layout,second,second_value,gap,chance,is_tie\n",
                  text::csv_cell(surface.x.asked), text::csv_cell(surface.y.asked), surface.by.metric);
  for (std::size_t y = 0; y < surface.y.points.size(); ++y) {
    for (std::size_t x = 0; x < surface.x.points.size(); ++x) {
      const SurfaceCell& cell = surface.cell(x, y);
      text += text::csv_cell(surface.x.points[x].text) + "," + text::csv_cell(surface.y.points[y].text);
      if (cell.standings.empty()) {
        text += ",,,,,,,,,\n";
        continue;
      }
      const KindBest& first = cell.standings.front();
      text += fmt::format(",{},{},{:016x},{}", first.value, text::csv_cell(first.kind), first.config_id,
                          text::csv_cell(first.layout));
      if (cell.standings.size() < 2)
        text += ",,,,,\n";
      else
        text += fmt::format(",{},{},{},{},{}\n", text::csv_cell(cell.standings[1].kind),
                            cell.standings[1].value, cell.gap, cell.chance, cell.is_tie() ? 1 : 0);
    }
  }
  return text;
}

}  // namespace echo::cli
