#include "profilers/overlap/communication_plan.hpp"

#include <fmt/core.h>

namespace echo::profilers {

using ops::CollectiveKind;

namespace {

constexpr ProxyTraffic idle{0, 0}, gather{1, 1}, reduce{2, 1};

void add_proxies(std::vector<CommunicationCase>& out, std::int32_t channels,
                 const std::vector<double>& rates) {
  const auto add = [&](ProxyTraffic traffic, double rate) {
    const CollectiveKind kind =
        traffic == gather ? CollectiveKind::all_gather : CollectiveKind::reduce_scatter;
    out.push_back({.collective = kind, .channels = channels, .traffic = traffic, .link_rate = rate});
  };
  add(idle, least_channel_rate * channels);
  add(reduce, 0.0);
  bool is_even = true;
  for (const double rate : rates) {
    const double each = rate / channels;
    if (each < least_channel_rate || each > most_channel_rate) continue;
    add(reduce, rate);
    if (is_even) add(gather, rate);
    is_even = !is_even;
  }
}

}  // namespace

std::string describe(const CommunicationCase& c) {
  const auto kind = std::string(ops::collective_kind_names[static_cast<std::size_t>(c.collective)]);
  switch (c.made_by) {
    case CommunicationKind::copy_engine:
      return c.direction == CopyDirection::to_host ? "copy to host" : "copy to device";
    case CommunicationKind::collective:
      return fmt::format("NCCL {} {} channels", kind, c.channels);
    case CommunicationKind::proxy:
      if (c.traffic == idle) return fmt::format("proxy idle {} channels", c.channels);
      return fmt::format("proxy {} {} channels {}", kind, c.channels,
                         c.link_rate > 0.0 ? fmt::format("{:g} GB/s", c.link_rate / 1e9) : "unpaced");
    case CommunicationKind::unknown:
      break;
  }
  return "nothing";
}

std::vector<CommunicationCase> communication_cases(const CommunicationChoices& choices) {
  std::vector<CommunicationCase> all;
  for (const std::int32_t channels : choices.channels) {
    if (channels < 1) continue;  // nothing beside: the control cells
    if (choices.proxy) add_proxies(all, channels, choices.link_rates);
    if (choices.nccl)
      for (const CollectiveKind kind :
           {CollectiveKind::all_reduce, CollectiveKind::all_gather, CollectiveKind::reduce_scatter})
        all.push_back({.made_by = CommunicationKind::collective, .collective = kind, .channels = channels});
  }
  if (choices.copies)
    for (const CopyDirection direction : {CopyDirection::to_host, CopyDirection::to_device})
      all.push_back({.made_by = CommunicationKind::copy_engine,
                     .collective = CollectiveKind::host_copy,
                     .direction = direction});
  return all;
}

}  // namespace echo::profilers
