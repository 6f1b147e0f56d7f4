#include "explain/beside/beside_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <utility>

#include "text/show_quantity.hpp"
#include "text/text_table.hpp"

namespace echo::explain {

namespace {

std::string show(SimTime time) { return text::show_time(to_seconds(time)); }

std::string show_signed(SimTime time) {
  if (time == SimTime::zero()) return "0";
  return (time < SimTime::zero() ? "-" : "+") + show(std::chrono::abs(time));
}

std::string share(SimTime part, SimTime whole) {
  return whole > SimTime::zero() ? text::show_share(to_seconds(part) / to_seconds(whole)) : "-";
}

double ratio(SimTime above, SimTime below) {
  return below > SimTime::zero() ? to_seconds(above) / to_seconds(below) : std::nan("");
}

std::string show_ratio(SimTime above, SimTime below) {
  const double value = ratio(above, below);
  return std::isnan(value) ? "-" : fmt::format("{:.2f}", value);
}

using Part = std::pair<const char*, SimTime Usage::*>;
constexpr std::array<Part, 4> parts{{{"computation", &Usage::computing},
                                     {"exposed communication", &Usage::exposed},
                                     {"kernels issued, waiting", &Usage::waiting},
                                     {"gaps of the host", &Usage::host}}};

struct RoleUse {
  std::int64_t count = 0;
  SimTime time{}, share{}, beside{};
};
std::array<RoleUse, kernel_role_count> uses_of(const Side& side) {
  std::array<RoleUse, kernel_role_count> out{};
  for (std::size_t i = 0; i < side.activities.size(); ++i) {
    RoleUse& use = out[static_cast<std::size_t>(side.activities[i].role)];
    ++use.count;
    use.time += side.activities[i].length();
    use.share += side.usage.share[i];
    use.beside += side.usage.beside[i];
  }
  return out;
}

void add_usage(text::Json& json, const Usage& usage) {
  json.member("span_us", to_microseconds(usage.span))
      .member("computing_us", to_microseconds(usage.computing))
      .member("exposed_communication_us", to_microseconds(usage.exposed))
      .member("hidden_communication_us", to_microseconds(usage.hidden()))
      .member("waiting_us", to_microseconds(usage.waiting))
      .member("host_gaps_us", to_microseconds(usage.host));
}

std::string in_words(const Beside& beside) {
  const SimTime recorded = beside.recorded.usage.span, simulated = beside.simulated.usage.span;
  std::string out =
      fmt::format("recorded {}, simulated {}: {} ({:+.1f} %)\n", show(recorded), show(simulated),
                  show_signed(simulated - recorded), 100.0 * (ratio(simulated, recorded) - 1.0));
  const double points = 100.0 * (ratio(beside.simulated.usage.exposed, simulated) -
                                 ratio(beside.recorded.usage.exposed, recorded));
  return out + fmt::format("exposed communication: recorded {} of it, simulated {} ({:+.1f} points)\n",
                           share(beside.recorded.usage.exposed, recorded),
                           share(beside.simulated.usage.exposed, simulated), points);
}

std::string division(const Beside& beside) {
  text::TextTable table({"<how the time divides", "recorded", "share", "simulated", "share"});
  const Usage &left = beside.recorded.usage, &right = beside.simulated.usage;
  for (const auto& [name, part] : parts)
    table.add({name, show(left.*part), share(left.*part, left.span), show(right.*part),
               share(right.*part, right.span)});
  table.add({"communication that is hidden", show(left.hidden()), share(left.hidden(), left.span),
             show(right.hidden()), share(right.hidden(), right.span)});
  return table.text();
}

std::string roles_text(const Beside& beside) {
  text::TextTable table({"<kernels", "recorded", "simulated", "time", "simulated", "ratio", "pairs alone",
                         "ratio", "beside", "ratio", "slowdown"});
  for (std::size_t role = 0; role < kernel_role_count; ++role) {
    const RoleSums& sum = beside.roles[role];
    if (sum.recorded == 0 && sum.simulated == 0) continue;
    const bool talks = communicates(static_cast<KernelRole>(role));
    table.add({std::string(kernel_role_names[role]), text::show_count(sum.recorded),
               text::show_count(sum.simulated), show(sum.recorded_time), show(sum.simulated_time),
               show_ratio(sum.simulated_time, sum.recorded_time), talks ? "-" : text::show_count(sum.alone),
               show_ratio(sum.alone_simulated, sum.alone_recorded),
               talks ? "-" : text::show_count(sum.beside),
               show_ratio(sum.beside_simulated, sum.beside_recorded),
               show_ratio(sum.beside_simulated, sum.beside_predicted_alone)});
  }
  return table.text();
}

std::string ledger_text(const Beside& beside) {
  text::TextTable table({"<where it comes from", "kernels", "ops", "recorded", "simulated", "difference"});
  SimTime left{}, right{};
  for (const LedgerLine& line : beside.ledger) {
    table.add({line.what, text::show_count(line.kernels), text::show_count(line.ops), show(line.recorded),
               show(line.simulated), show_signed(-line.difference())});
    left += line.recorded, right += line.simulated;
  }
  table.add({"all", "", "", show(left), show(right), show_signed(right - left)});
  return table.text();
}

void add_roles(text::Json& json, const Beside& beside) {
  json.key("roles").open_array();
  for (std::size_t role = 0; role < kernel_role_count; ++role) {
    const RoleSums& sum = beside.roles[role];
    if (sum.recorded == 0 && sum.simulated == 0) continue;
    json.open_object()
        .member("role", kernel_role_names[role])
        .member("recorded", sum.recorded)
        .member("simulated", sum.simulated)
        .member("recorded_us", to_microseconds(sum.recorded_time))
        .member("simulated_us", to_microseconds(sum.simulated_time))
        .member("pairs_alone", sum.alone)
        .member("alone_recorded_us", to_microseconds(sum.alone_recorded))
        .member("alone_simulated_us", to_microseconds(sum.alone_simulated))
        .member("pairs_beside", sum.beside)
        .member("beside_recorded_us", to_microseconds(sum.beside_recorded))
        .member("beside_simulated_us", to_microseconds(sum.beside_simulated))
        .member("beside_simulated_alone_us", to_microseconds(sum.beside_predicted_alone))
        .close();
  }
  json.close();
}

}  // namespace

std::string recorded_text(const RecordedFacts& facts, const Side& side) {
  std::string out = facts.file + "\n";
  const auto fact = [&](const char* name, const std::string& value) {
    out += fmt::format("{:<10} {}\n", name, value);
  };
  fact("gpu", facts.gpu.empty() ? "not said" : facts.gpu);
  fact("job", fmt::format("{}, {}", facts.world > 0 ? fmt::format("{} ranks", facts.world) : "ranks not said",
                          facts.rank >= 0 ? fmt::format("rank {} recorded", facts.rank) : "rank not said"));
  if (!facts.groups.empty()) fact("groups", fmt::format("{}", fmt::join(facts.groups, "; ")));
  fact("shapes", facts.shapes.empty() ? "none recorded" : fmt::format("{}", fmt::join(facts.shapes, "; ")));
  const std::string host =
      facts.marked > SimTime::zero() ? ", " + show(facts.marked) + " on the host" : std::string();
  fact("step", (facts.step.empty() ? std::string("the whole file") : facts.step) + ": " +
                   show(side.usage.span) + " on the GPU" + host);
  text::TextTable time({"<how the time divides", "time", "share"});
  for (const auto& [name, part] : parts)
    time.add({name, show(side.usage.*part), share(side.usage.*part, side.usage.span)});
  time.add({"communication that is hidden", show(side.usage.hidden()),
            share(side.usage.hidden(), side.usage.span)});
  text::TextTable kernels({"<kernels", "count", "time", "of the span", "beside communication"});
  const auto uses = uses_of(side);
  for (std::size_t role = 0; role < kernel_role_count; ++role)
    if (uses[role].count > 0)
      kernels.add(
          {std::string(kernel_role_names[role]), text::show_count(uses[role].count), show(uses[role].time),
           share(uses[role].share, side.usage.span),
           communicates(static_cast<KernelRole>(role)) ? "-" : share(uses[role].beside, uses[role].time)});
  out += "\n" + time.text() + "\n" + kernels.text();
  for (const std::string& note : facts.notes) out += "note: " + note + "\n";
  return out;
}

void add_recorded(text::Json& json, const RecordedFacts& facts, const Side& side) {
  json.member("file", facts.file).member("gpu", facts.gpu).member("step", facts.step);
  json.member("rank", facts.rank).member("world", facts.world);
  const auto list = [&](const char* name, const std::vector<std::string>& values) {
    json.key(name).open_array();
    for (const std::string& value : values) json.value(value);
    json.close();
  };
  list("groups", facts.groups), list("shapes", facts.shapes), list("notes", facts.notes);
  json.key("recorded").open_object();
  add_usage(json, side.usage);
  json.key("roles").open_array();
  const auto uses = uses_of(side);
  for (std::size_t role = 0; role < kernel_role_count; ++role)
    if (uses[role].count > 0)
      json.open_object()
          .member("role", kernel_role_names[role])
          .member("kernels", uses[role].count)
          .member("time_us", to_microseconds(uses[role].time))
          .member("share_us", to_microseconds(uses[role].share))
          .member("beside_us", to_microseconds(uses[role].beside))
          .close();
  json.close().close();
}

std::string beside_text(const Beside& beside, const std::string& simulated_what) {
  return fmt::format(
      "\nsimulated: {}\n{}\n{}\n{}  ratio: simulated over recorded; of pairs alone: without slowdown; of "
      "pairs "
      "beside communication: with\n\n{}",
      simulated_what, in_words(beside), division(beside), roles_text(beside), ledger_text(beside));
}

void add_beside(text::Json& json, const Beside& beside, const std::string& simulated_what) {
  json.key("simulated").open_object().member("what", simulated_what);
  add_usage(json, beside.simulated.usage);
  json.close();
  json.member("pairs", static_cast<std::int64_t>(beside.matches.size()));
  add_roles(json, beside);
  json.key("difference").open_array();
  for (const LedgerLine& line : beside.ledger)
    json.open_object()
        .member("what", line.what)
        .member("kernels", line.kernels)
        .member("ops", line.ops)
        .member("recorded_ps", line.recorded.count())
        .member("simulated_ps", line.simulated.count())
        .member("difference_ps", line.difference().count())
        .close();
  json.close();
}

}  // namespace echo::explain
