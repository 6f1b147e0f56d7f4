#include "cli/packets/flit_run.hpp"

#include <fmt/format.h>

#include "base/at.hpp"
#include "base/named_table.hpp"
#include "base/problems.hpp"
#include "cli/terminal/say.hpp"
#include "config/toml/did_you_mean.hpp"
#include "config/toml/read_file.hpp"
#include "packets/flits/flit_simulation.hpp"

namespace echo::cli {

namespace {

using packets::FlitOutcome;
using packets::FlitSettings;
using packets::FlitTopology;
using packets::TopologyFamily;
using packets::TrafficPattern;

std::unique_ptr<FlitTopology> topology_named(const std::string& name) {
  std::string known;
  for (const TopologyFamily* family : packets::flit_topology_table()) {
    if (auto topology = family->make(name)) return topology;
    known += (known.empty() ? "" : ", ") + std::string(family->pattern);
  }
  throw UserError("no fabric of flits is called \"" + name + "\"", "names are such as " + known);
}

const TrafficPattern& traffic_named(const std::string& name) {
  const std::int32_t row = find_named(packets::traffic_table(), name);
  if (row >= 0) return packets::traffic_table()[at(row)];
  std::vector<std::string> names;
  for (const TrafficPattern& one : packets::traffic_table()) names.emplace_back(one.name);
  throw UserError("unknown traffic \"" + name + "\"", config::suggest(name, names, "traffic patterns"));
}

// Runs `check` and keeps what it throws, so that one pass reports every mistake.
template <class Check>
void collect(Problems& problems, Check&& check) {
  try {
    check();
  } catch (const UserError& error) {
    for (const Problem& problem : error.problems())
      problems.error(problem.place, problem.what, problem.remedy);
  }
}

FlitSettings settings_of(const FlitRun& asked, Problems& problems) {
  FlitSettings settings;
  settings.seeks_throughput = asked.sim_type == "throughput";
  collect(problems, [&] { packets::set_flit_setting(settings, "vc_buf_size", asked.credits); });
  for (const std::string& setting : asked.settings) {
    const std::size_t equals = setting.find('=');
    collect(problems, [&] {
      if (equals == std::string::npos)
        throw UserError("--set " + setting + " has no value", "write it as --set num_vcs=4");
      packets::set_flit_setting(settings, setting.substr(0, equals), setting.substr(equals + 1));
    });
  }
  for (const std::string& rate : asked.rates)
    collect(problems, [&] { packets::set_flit_setting(settings, "injection_rate", rate); });
  return settings;
}

void check_fit(const FlitTopology& topology, const TrafficPattern& traffic, const FlitSettings& settings,
               const FlitRun& asked, Problems& problems) {
  const std::string reason = traffic.refusal(topology);
  if (!reason.empty())
    problems.error({}, asked.topology + " has no traffic " + asked.traffic + ": " + reason,
                   "choose --traffic uniform");
  if (settings.virtual_channels < topology.least_virtual_channels())
    problems.error(
        {}, fmt::format("{} needs {} virtual channels", asked.topology, topology.least_virtual_channels()),
        fmt::format("add --set num_vcs={}", topology.least_virtual_channels()));
  if (settings.injection_rate > settings.packet_flits)
    problems.error({}, "a node cannot create more than one packet in a cycle",
                   "choose --injection-rate of at most packet_size");
}

std::string row_of(const FlitRun& asked, const FlitSettings& settings, const FlitOutcome& outcome) {
  const std::string latencies =
      outcome.is_stable ? fmt::format("{:.6g},{:.6g},{:.6g},{:.6g},{:.6g}", outcome.packet_latency,
                                      outcome.least_packet_latency, outcome.most_packet_latency,
                                      outcome.network_latency, outcome.flit_latency)
                        : ",,,,";
  const std::string hops = outcome.is_stable ? fmt::format("{:.6g}", outcome.hops) : "";
  return fmt::format("{},{},{},{},{},{},{},{},{},{:.6g},{:.6g},{},{}\n", asked.topology,
                     settings.virtual_channels, settings.buffer_flits, settings.packet_flits, asked.traffic,
                     asked.sim_type, settings.injection_rate, outcome.is_stable ? 1 : 0, latencies,
                     outcome.accepted_rate, outcome.least_accepted_rate, hops, outcome.cycles);
}

}  // namespace

int run_flit_rates(const FlitRun& asked) {
  Problems problems;
  std::unique_ptr<FlitTopology> topology;
  const TrafficPattern* traffic = nullptr;
  collect(problems, [&] { topology = topology_named(asked.topology); });
  collect(problems, [&] { traffic = &traffic_named(asked.traffic); });
  FlitSettings settings = settings_of(asked, problems);
  if (topology != nullptr && traffic != nullptr) check_fit(*topology, *traffic, settings, asked, problems);
  problems.throw_if_any();
  std::string csv =
      "topology,num_vcs,vc_buf_size,packet_size,traffic,sim_type,injection_rate,stable,pkt_latency_avg,"
      "pkt_latency_min,pkt_latency_max,net_latency_avg,flit_latency_avg,accepted_flit_rate_avg,"
      "accepted_flit_rate_min,hops_avg,cycles\n";
  const std::vector<std::string> given{fmt::format("{}", settings.injection_rate)};
  for (const std::string& rate : asked.rates.empty() ? given : asked.rates) {
    packets::set_flit_setting(settings, "injection_rate", rate);
    csv += row_of(asked, settings, packets::simulate_flits(*topology, *traffic, settings));
  }
  if (asked.csv.empty())
    say("{}", csv);
  else
    config::write_whole_file(asked.csv, csv);
  return 0;
}

}  // namespace echo::cli
