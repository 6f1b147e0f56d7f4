#include "cli/traces/trace_summary_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "cli/traces/not_recorded.hpp"
#include "text/json.hpp"
#include "text/show_quantity.hpp"
#include "text/text_table.hpp"

namespace echo::cli {

namespace {

constexpr std::size_t most_rows = 24;  // of a table on a terminal

std::string bytes_text(Bytes bytes) {
  const auto value = static_cast<double>(bytes.value);
  if (value < 1024.0) return fmt::format("{} B", bytes.value);
  if (value < 1024.0 * 1024.0) return fmt::format("{:.1f} KiB", value / 1024.0);
  if (value < 1024.0 * 1024.0 * 1024.0) return fmt::format("{:.1f} MiB", value / (1024.0 * 1024.0));
  return text::show_gib(value);
}

// Busy time; "-" if none of it was measured.
std::string time_text(SimTime time, std::int64_t count, std::int64_t untimed) {
  if (untimed == count || (untimed > 0 && time == SimTime::zero())) return "-";
  return text::show_time(to_seconds(time)) + (untimed > 0 ? " +" : "");
}

// "0-7", "0,8,16 .. 56 (8 ranks)".
std::string ranks_text(const std::vector<std::int32_t>& ranks) {
  const bool consecutive = ranks.size() > 2 &&
                           ranks.back() - ranks.front() == static_cast<std::int32_t>(ranks.size()) - 1 &&
                           std::is_sorted(ranks.begin(), ranks.end());
  if (consecutive) return fmt::format("{}-{}", ranks.front(), ranks.back());
  if (ranks.size() <= 4) return fmt::format("{}", fmt::join(ranks, ","));
  return fmt::format("{},{},{} .. {}", ranks[0], ranks[1], ranks[2], ranks.back());
}

std::string left_out(std::size_t rows) {
  return rows > most_rows ? fmt::format("({} more)\n", rows - most_rows) : "";
}

std::string ranks_table(const TraceSummary& summary) {
  text::TextTable table(
      {"rank", "stands for", "ops", "streams", "compute", "communication", "replayed alone"});
  for (std::size_t i = 0; i < std::min(most_rows, summary.ranks.size()); ++i) {
    const TraceSummary::Rank& rank = summary.ranks[i];
    const auto time = [&](SimTime of) { return time_text(of, rank.ops, rank.untimed); };
    table.add({std::to_string(rank.rank), text::show_count(rank.stands_for), text::show_count(rank.ops),
               std::to_string(rank.streams), time(rank.compute), time(rank.communication), time(rank.alone)});
  }
  return table.text() + left_out(summary.ranks.size());
}

std::string groups_table(const trace::Trace& trace, const TraceSummary& summary) {
  text::TextTable table({"<group", "<role", "ranks", "nodes of 8", "collectives", "bytes", "<members"});
  for (std::size_t i = 0; i < std::min(most_rows, summary.groups.size()); ++i) {
    const TraceSummary::Group& group = summary.groups[i];
    const trace::Group& named = trace.groups[at(group.index)];
    table.add({named.name, std::string(trace::group_role_names[at(named.role)]),
               std::to_string(named.ranks.size()), std::to_string(group.nodes), text::show_count(group.ops),
               bytes_text(group.bytes), ranks_text(named.ranks)});
  }
  return table.text() + left_out(summary.groups.size());
}

std::string ops_table(const TraceSummary& summary) {
  std::vector<std::string> headings{"<ops"};
  for (const std::string_view pass : trace::pass_names) headings.emplace_back(pass);
  text::TextTable table(headings);
  for (std::size_t kind = 0; kind < node_kinds; ++kind) {
    const auto& row = summary.ops[kind];
    if (std::ranges::all_of(row, [](std::int64_t count) { return count == 0; })) continue;
    std::vector<std::string> cells{std::string(trace::node_kind_names[kind])};
    for (const std::int64_t count : row) cells.push_back(text::show_count(count));
    table.add(cells);
  }
  return table.text();
}

std::string families_table(const TraceSummary& summary) {
  text::TextTable table({"<kernels", "count", "TFLOP", "time"});
  for (const TraceSummary::Family& family : summary.families)
    table.add({family.name, text::show_count(family.count),
               family.flops > 0.0 ? fmt::format("{:.4g}", family.flops * 1e-12) : "-",
               time_text(family.time, family.count, family.untimed)});
  return table.text();
}

std::string collectives_table(const TraceSummary& summary) {
  text::TextTable table({"<communication", "<role", "ranks", "count", "bytes", "time"});
  for (const TraceSummary::Collective& one : summary.collectives)
    table.add({one.kind, one.role.empty() ? "-" : one.role, one.ranks == 0 ? "-" : std::to_string(one.ranks),
               text::show_count(one.count), bytes_text(one.bytes),
               time_text(one.time, one.count, one.untimed)});
  return table.text();
}

std::int64_t untimed_of(const TraceSummary& summary) {
  std::int64_t untimed = 0;
  for (const TraceSummary::Rank& rank : summary.ranks) untimed += rank.untimed;
  return untimed;
}

std::string step_line(const TraceSummary& summary) {
  const std::int64_t untimed = untimed_of(summary);
  if (summary.step == SimTime::zero()) return "durations          none\n";
  const std::string missing =
      untimed > 0 ? fmt::format(", {} ops without a duration", text::show_count(untimed)) : "";
  return fmt::format("step               {} when replayed, without waiting between ranks{}\n",
                     text::show_time(to_seconds(summary.step)), missing);
}

void add_time(text::Json& json, const char* name, SimTime time, std::int64_t untimed, std::int64_t count) {
  json.key(name);
  if (untimed == count)
    json.value(std::nan(""));
  else
    json.value(to_seconds(time));
}

void add_tables(text::Json& json, const trace::Trace& trace, const TraceSummary& summary) {
  json.key("ranks").open_array();
  for (const TraceSummary::Rank& rank : summary.ranks) {
    json.open_object()
        .member("rank", rank.rank)
        .member("stands_for", rank.stands_for)
        .member("ops", rank.ops);
    json.member("untimed", rank.untimed).member("streams", rank.streams);
    add_time(json, "compute_s", rank.compute, rank.untimed, rank.ops);
    add_time(json, "communication_s", rank.communication, rank.untimed, rank.ops);
    add_time(json, "alone_s", rank.alone, rank.untimed, rank.ops);
    json.close();
  }
  json.close().key("groups").open_array();
  for (const TraceSummary::Group& group : summary.groups) {
    const trace::Group& named = trace.groups[at(group.index)];
    json.open_object().member("name", named.name);
    json.member("role", trace::group_role_names[at(named.role)]);
    json.member("nodes_of_8", group.nodes)
        .member("collectives", group.ops)
        .member("bytes", group.bytes.value);
    json.key("ranks").open_array();
    for (const std::int32_t rank : named.ranks) json.value(rank);
    json.close().close();
  }
  json.close().key("kernels").open_array();
  for (const TraceSummary::Family& family : summary.families) {
    json.open_object()
        .member("kind", family.name)
        .member("count", family.count)
        .member("flops", family.flops);
    add_time(json, "time_s", family.time, family.untimed, family.count);
    json.close();
  }
  json.close().key("communication").open_array();
  for (const TraceSummary::Collective& one : summary.collectives) {
    json.open_object().member("kind", one.kind).member("role", one.role).member("ranks", one.ranks);
    json.member("count", one.count).member("bytes", one.bytes.value);
    add_time(json, "time_s", one.time, one.untimed, one.count);
    json.close();
  }
  json.close();
}

}  // namespace

std::string summary_text(const trace::Trace& trace, const TraceSummary& summary) {
  std::string text = fmt::format("{}  (format {})\n", trace.name, trace.format);
  text += fmt::format("job                {} ranks, {} traced\n", text::show_count(trace.world),
                      text::show_count(std::ssize(trace.ranks)));
  text += fmt::format("measured on        {}\n", trace.gpu.empty() ? "not recorded" : trace.gpu);
  text += step_line(summary);
  text += fmt::format("shapes known       {} of compute {}\n", text::show_share(summary.known_share()),
                      summary.compute_time > SimTime::zero() ? "time" : "ops");
  for (const std::string& one : not_recorded(trace)) text += "not recorded       " + one + "\n";
  for (const std::string& note : trace.notes) text += "note               " + note + "\n";
  text += "\n" + ranks_table(summary) + "\n";
  if (!summary.groups.empty()) text += groups_table(trace, summary) + "\n";
  text += ops_table(summary) + "\n";
  if (!summary.families.empty()) text += families_table(summary) + "\n";
  if (!summary.collectives.empty()) text += collectives_table(summary) + "\n";
  text::TextTable axes({"<axis", "<can be swept", "<why"});
  for (const SweepableAxis& one : sweepable(trace, summary)) axes.add({one.axis, one.verdict, one.why});
  return text + axes.text();
}

std::string summary_json(const trace::Trace& trace, const TraceSummary& summary) {
  text::Json json;
  json.open_object().member("name", trace.name).member("format", trace.format).member("gpu", trace.gpu);
  json.member("world", trace.world).member("known_share", summary.known_share());
  json.member("untimed", untimed_of(summary));
  json.member("step_s", summary.step > SimTime::zero() ? to_seconds(summary.step) : std::nan(""));
  json.key("not_recorded").open_array();
  for (const std::string& one : not_recorded(trace)) json.value(one);
  json.close().key("notes").open_array();
  for (const std::string& note : trace.notes) json.value(note);
  json.close().key("ops").open_object();
  for (std::size_t kind = 0; kind < node_kinds; ++kind) {
    json.key(trace::node_kind_names[kind]).open_object();
    for (std::size_t pass = 0; pass < passes; ++pass)
      json.member(trace::pass_names[pass], summary.ops[kind][pass]);
    json.close();
  }
  json.close();
  add_tables(json, trace, summary);
  json.key("sweepable").open_object();
  for (const SweepableAxis& one : sweepable(trace, summary))
    json.key(one.axis).open_object().member("verdict", one.verdict).member("why", one.why).close();
  json.close().close();
  return json.text();
}

}  // namespace echo::cli
