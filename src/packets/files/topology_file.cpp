#include "packets/files/topology_file.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/at.hpp"
#include "base/printable.hpp"
#include "packets/files/tokens.hpp"

namespace echo::packets {
namespace {

constexpr std::int64_t most_nodes = 1 << 20, most_links = 1 << 24;

struct UnitOf {
  std::string_view name;
  double value;
};
// Words as ns-3 reads them.
constexpr std::array<UnitOf, 10> rate_units{{{"bps", 1},
                                             {"b/s", 1},
                                             {"kbps", 1e3},
                                             {"kb/s", 1e3},
                                             {"Mbps", 1e6},
                                             {"Mb/s", 1e6},
                                             {"Gbps", 1e9},
                                             {"Gb/s", 1e9},
                                             {"Tbps", 1e12},
                                             {"Tb/s", 1e12}}};
constexpr std::array<UnitOf, 5> time_units{{{"s", 1e12}, {"ms", 1e9}, {"us", 1e6}, {"ns", 1e3}, {"ps", 1}}};

// A number with its unit behind it, in the smallest unit; nothing where it is neither.
template <std::size_t n>
std::optional<double> quantity(std::string_view text, const std::array<UnitOf, n>& units) {
  double value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc{} || !std::isfinite(value)) return {};
  const std::string_view unit = text.substr(static_cast<std::size_t>(result.ptr - text.data()));
  for (const UnitOf& one : units)
    if (one.name == unit) return value * one.value;
  return {};
}

class TopologyReader {
 public:
  TopologyReader(std::string_view text, const std::string& name, Problems& problems)
      : tokens_(text, name), problems_(problems) {}

  Fabric read() {
    const auto nodes = tokens_.integer("the number of nodes", 1, most_nodes, problems_);
    const auto switches = tokens_.integer("the number of switches", 0, most_nodes, problems_);
    const auto links = tokens_.integer("the number of links", 0, most_links, problems_);
    if (!nodes || !switches || !links) return {};
    fabric_.is_switch.assign(at(*nodes), 0);
    for (std::int64_t i = 0; i < *switches && !tokens_.at_end(); ++i) read_switch();
    for (std::int64_t i = 0; i < *links && !stopped(*links, i); ++i) read_link();
    if (!tokens_.at_end()) {
      const Token token = tokens_.next();
      problems_.error(token.place(tokens_.file()), "more follows after the last link",
                      "correct the number of links in the first line, or remove the rest");
    }
    return std::move(fabric_);
  }

 private:
  bool stopped(std::int64_t links, std::int64_t found) {
    if (!tokens_.at_end()) return false;
    problems_.error(
        tokens_.next().place(tokens_.file()),
        "the file ends after " + std::to_string(found) + " of " + std::to_string(links) + " links",
        "add the missing links, or correct the first line");
    return true;
  }

  void read_switch() {
    const auto id = tokens_.integer("the number of a switch", 0, fabric_.nodes() - 1, problems_);
    if (id) fabric_.is_switch[at(*id)] = 1;
  }

  std::int64_t read_quantity(std::optional<double> value, const Token& token, double least,
                             const char* remedy) {
    constexpr double most = 9e17;  // days, or 10^18 bit/s
    if (value && *value >= least && *value <= most) return std::llround(*value);
    problems_.error(token.place(tokens_.file()), "\"" + printable(token.text) + "\" cannot be used here",
                    remedy);
    return 1;
  }

  void read_link() {
    Link link;
    const auto a = tokens_.integer("a node", 0, fabric_.nodes() - 1, problems_);
    const auto b = tokens_.integer("a node", 0, fabric_.nodes() - 1, problems_);
    const Token rate = tokens_.next(), delay = tokens_.next(), errors = tokens_.next();
    link.bits_per_second =
        read_quantity(quantity(rate.text, rate_units), rate, 1, "write a rate such as 100Gbps");
    link.delay =
        SimTime(read_quantity(quantity(delay.text, time_units), delay, 0, "write a delay such as 1us"));
    double share = -1;
    const char* const end = errors.text.data() + errors.text.size();
    const auto result = std::from_chars(errors.text.data(), end, share);
    if (result.ec != std::errc{} || result.ptr != end || !(share >= 0 && share < 1))
      problems_.error(errors.place(tokens_.file()), "\"" + printable(errors.text) + "\" is not an error rate",
                      "write the share of packets lost: 0 or more, below 1");
    link.error_rate = share;
    if (!a || !b) return;
    link.a = static_cast<std::int32_t>(*a);
    link.b = static_cast<std::int32_t>(*b);
    if (link.a == link.b)
      problems_.error(rate.place(tokens_.file()), "the link joins node " + std::to_string(*a) + " to itself",
                      "name two nodes");
    fabric_.links.push_back(link);
  }

  Tokens tokens_;
  Problems& problems_;
  Fabric fabric_;
};

}  // namespace

Fabric read_topology(std::string_view text, const std::string& name, Problems& problems) {
  return TopologyReader(text, name, problems).read();
}

}  // namespace echo::packets
