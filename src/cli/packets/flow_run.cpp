#include "cli/packets/flow_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/at.hpp"
#include "base/error.hpp"
#include "base/named_table.hpp"
#include "cli/terminal/say.hpp"
#include "config/toml/did_you_mean.hpp"
#include "config/toml/read_file.hpp"
#include "packets/engine/simulation.hpp"
#include "packets/files/flow_file.hpp"
#include "packets/files/topology_file.hpp"

namespace echo::cli {

namespace {

std::string read_or_refuse(const std::string& path) {
  auto text = config::read_whole_file(path);
  if (!text) throw UserError("cannot read \"" + path + "\"", "check the path and its permissions");
  return std::move(*text);
}

const packets::CongestionControl& control_named(const std::string& name) {
  const auto table = packets::congestion_control_table();
  const std::int32_t row = find_named(table, name);
  if (row >= 0) return *table[at(row)];
  std::vector<std::string> names;
  for (const auto* control : table) names.emplace_back(control->name);
  throw UserError("unknown congestion control \"" + name + "\"",
                  config::suggest(name, names, "congestion controls"));
}

// CC_MODE of the tables: the congestion control by its number in HPCC's simulator.
void check_mode(const std::string& value, const std::string& control) {
  constexpr std::pair<const char*, double> modes[] = {
      {"none", 0}, {"dcqcn", 1}, {"hpcc", 3}, {"timely", 7}, {"dctcp", 8}};
  for (const auto& [name, mode] : modes)
    if (control == name && (value == fmt::format("{}", mode) || value == fmt::format("{:.1f}", mode))) return;
  throw UserError("CC_MODE = " + value + " is not the congestion control of --cc " + control,
                  "remove it: --cc alone chooses");
}

packets::Parameters parameters_of(const FlowRun& asked, const std::string& control, Problems& problems) {
  packets::Parameters parameters = packets::default_parameters(control);
  for (const std::string& setting : asked.settings) {
    const std::size_t equals = setting.find('=');
    try {
      if (equals == std::string::npos)
        throw UserError("--set " + setting + " has no value", "write it as --set RATE_AI=20");
      const std::string name = setting.substr(0, equals), value = setting.substr(equals + 1);
      if (name == "CC_MODE")
        check_mode(value, control);
      else
        packets::set_parameter(parameters, name, value);
    } catch (const UserError& error) {
      for (const Problem& problem : error.problems())
        problems.error(problem.place, problem.what, problem.remedy);
    }
  }
  return parameters;
}

// Where packets overtake each other, a receiver counts what came, and cannot tell a packet from its copy.
void check_losses(const packets::Parameters& parameters, const packets::Fabric& fabric,
                  const std::string& file, Problems& problems) {
  const auto routing = static_cast<packets::Routing>(parameters.routing);
  const bool overtakes = routing == packets::Routing::spray || routing == packets::Routing::adaptive;
  const bool loses = std::any_of(fabric.links.begin(), fabric.links.end(),
                                 [](const packets::Link& link) { return link.error_rate > 0; });
  const bool drops = static_cast<packets::FlowControl>(parameters.flow_control) == packets::FlowControl::none;
  if (overtakes && (loses || drops || parameters.retransmission_timeout_us > 0))
    problems.error({file},
                   "packets that overtake each other (ROUTING spray, adaptive) may not be lost or sent again",
                   "set error rates to 0, FLOW_CONTROL to pfc or credits, and no retransmission timeout");
}

std::string nanoseconds(SimTime time) {
  if (time.count() % 1000 == 0) return fmt::format("{}", time.count() / 1000);
  return fmt::format("{}.{:03}", time.count() / 1000, time.count() % 1000);
}

std::string table_of(const packets::FlowFile& file, const packets::Outcome& outcome) {
  std::string csv = "flow,src,dst,size_B,start_ns,fct_ns\n";
  for (std::size_t i = 0; i < file.flows.size(); ++i) {
    const packets::Flow& flow = file.flows[i];
    csv += fmt::format("{},{},{},{},{},{}\n", file.ids[i], flow.source, flow.destination, flow.bytes,
                       nanoseconds(outcome.flows[i].start), nanoseconds(outcome.flows[i].duration));
  }
  return csv;
}

void refuse_unfinished(const packets::FlowFile& file, const packets::Outcome& outcome) {
  if (outcome.unfinished.empty()) return;
  std::string list;
  for (std::size_t i = 0; i < std::min<std::size_t>(outcome.unfinished.size(), 10); ++i)
    list += fmt::format("{}{}", i > 0 ? ", " : "", file.ids[at(outcome.unfinished[i])]);
  if (outcome.unfinished.size() > 10) list += ", ...";
  throw UserError(
      fmt::format("{} of {} flows never finish: {}", outcome.unfinished.size(), file.flows.size(), list),
      outcome.totals.drops > 0
          ? "packets were lost; set \"retransmission timeout\" (us), or avoid losses"
          : "packets wait for each other; give the switches more buffer, or paths without a cycle",
      3);
}

void print_summary(const packets::Fabric& fabric, const packets::Outcome& outcome) {
  SimTime least = SimTime::max(), most{}, last{};
  double sum = 0;
  for (const packets::FlowTime& flow : outcome.flows) {
    least = std::min(least, flow.duration);
    most = std::max(most, flow.duration);
    last = std::max(last, flow.start + flow.duration);
    sum += to_microseconds(flow.duration);
  }
  if (outcome.flows.empty()) return say("no flows\n");
  say("{} flows: completion {:.3f} us on average, {:.3f} to {:.3f} us; the last ends at {:.3f} us\n",
      outcome.flows.size(), sum / static_cast<double>(outcome.flows.size()), to_microseconds(least),
      to_microseconds(most), to_microseconds(last));
  const packets::Totals& totals = outcome.totals;
  say("{} packet hops, {} packets marked, {} pauses, {} packets lost", totals.packet_hops, totals.marks,
      totals.pauses, totals.drops);
  if (totals.largest_queue_port >= 0)
    say("; longest queue {} B, from switch {} to node {}", totals.largest_queue_bytes,
        fabric.sender(totals.largest_queue_port), fabric.receiver(totals.largest_queue_port));
  say("\n");
}

}  // namespace

int run_flows(const FlowRun& asked) {
  Problems problems;
  const packets::CongestionControl& control = control_named(asked.control);
  const packets::Parameters parameters = parameters_of(asked, control.name, problems);
  const packets::Fabric fabric =
      packets::read_topology(read_or_refuse(asked.topology), asked.topology, problems);
  if (problems.errors() == 0) check_losses(parameters, fabric, asked.topology, problems);
  problems.throw_if_any();
  const packets::Routes routes(fabric);
  packets::FlowFile file =
      packets::read_flows(read_or_refuse(asked.flows), asked.flows, fabric, routes, problems);
  problems.throw_if_any();
  if (!asked.paths.empty()) {
    const std::string name =
        asked.case_name.empty() ? std::filesystem::path(asked.flows).stem().string() : asked.case_name;
    packets::read_paths(read_or_refuse(asked.paths), asked.paths, name, fabric, file, problems);
    problems.throw_if_any();
  }
  const packets::Outcome outcome = packets::simulate_packets(fabric, routes, file.flows, control, parameters);
  refuse_unfinished(file, outcome);
  if (!asked.csv.empty()) config::write_whole_file(asked.csv, table_of(file, outcome));
  print_summary(fabric, outcome);
  return 0;
}

void list_parameters(const std::string& control) {
  const packets::Parameters values = packets::default_parameters(control_named(control).name);
  for (const packets::ParameterInfo& row : packets::parameter_table()) {
    std::string value;
    const double number = row.field == nullptr ? row.first_word : values.*row.field;
    const auto word = static_cast<std::size_t>(std::max(0.0, number - row.first_word));
    const bool is_word =
        !row.words.empty() && number - row.first_word < static_cast<double>(row.words.size());
    value = is_word && row.first_word <= 0 ? row.words[word] : fmt::format("{}", number);
    say("{} = {}{}{}{}{}\n", row.name, value,
        *row.unit != '\0' && (!is_word || row.first_word > 0) ? " " : "",
        !is_word || row.first_word > 0 ? row.unit : "", *row.note != '\0' ? "   # " : "", row.note);
  }
}

}  // namespace echo::cli
