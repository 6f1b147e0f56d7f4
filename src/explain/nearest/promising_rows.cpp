#include "explain/nearest/promising_rows.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>

#include "base/at.hpp"
#include "sweep/choice/varying_axes.hpp"
#include "training/feasibility.hpp"

namespace echo::explain {

namespace {

using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t>;  // codes of reason, limit and rule

struct Seen {
  std::int64_t rows = 0, row = -1;
  double distance = 0.0;
};

std::string cause_of(const results::ResultRows& rows, const Key& key) {
  const auto [reason, limit, rule] = key;
  if (reason == static_cast<std::int64_t>(training::Reason::memory)) return "memory";
  if (reason == static_cast<std::int64_t>(training::Reason::limit))
    return "limit " + rows.at("limit").meanings.at(at(limit));
  return rows.at("rule").meanings.at(at(rule));
}

bool has_cause(double status, double reason) {
  constexpr auto infeasible = static_cast<double>(training::Status::infeasible);
  return status == infeasible && (reason == static_cast<double>(training::Reason::memory) ||
                                  reason == static_cast<double>(training::Reason::limit) ||
                                  reason == static_cast<double>(training::Reason::unsupported));
}

}  // namespace

std::vector<PromisingRow> promising_rows(const results::ResultRows& rows, const sweep::SweepSpec& spec,
                                         std::int64_t best) {
  enum Column : std::size_t { status, reason, limit, rule, margin, usable, excess, first_axis };
  std::vector<std::string> columns{"status",        "reason",    "limit",       "rule",
                                   "reason_margin", "mem_limit", "limit_excess"};
  const sweep::VaryingAxes varying(spec);
  std::vector<double> wanted;
  const results::Table own = rows.pick_configs(std::span(&best, best < 0 ? std::size_t{0} : std::size_t{1}));
  for (const sweep::AxisInfo& info : sweep::axis_table) {
    if (best < 0 || !varying.contains(info.axis)) continue;
    columns.emplace_back(info.name);
    wanted.push_back(own.number(info.name, 0));
  }
  std::map<Key, Seen> seen;
  auto last = seen.end();  // of the row before
  results::Scan scan(rows, columns);
  while (scan.next()) {
    for (std::int64_t i = 0; i < scan.count(); ++i) {
      const auto value = [&](std::size_t column) { return scan.values(column)[at(i)]; };
      if (!has_cause(value(status), value(reason))) continue;
      const auto code = [&](std::size_t column) { return static_cast<std::int64_t>(value(column)); };
      const Key key{code(reason), code(limit), code(rule)};
      if (last == seen.end() || last->first != key) last = seen.try_emplace(key).first;
      Seen& cause = last->second;
      double distance = 0.0;
      if (code(reason) == static_cast<std::int64_t>(training::Reason::memory)) {
        distance = value(margin) / value(usable);
      } else if (code(reason) == static_cast<std::int64_t>(training::Reason::limit)) {
        distance = value(excess);
      } else {
        for (std::size_t axis = 0; axis < wanted.size(); ++axis)
          distance += value(first_axis + axis) != wanted[axis] ? 1.0 : 0.0;
      }
      if (cause.rows++ == 0 || distance < cause.distance) cause = {cause.rows, scan.first() + i, distance};
    }
  }
  std::vector<PromisingRow> out;
  for (const auto& [key, cause] : seen) out.push_back({cause_of(rows, key), cause.rows, cause.row});
  std::ranges::stable_sort(out, std::ranges::greater(), &PromisingRow::rows);
  return out;
}

}  // namespace echo::explain
