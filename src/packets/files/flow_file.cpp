#include "packets/files/flow_file.hpp"

#include <limits>
#include <map>

#include "base/at.hpp"
#include "packets/files/tokens.hpp"

namespace echo::packets {
namespace {

constexpr std::int64_t most_bytes = std::int64_t{1} << 50,
                       most_start = 9'000'000'000'000'000;  // ns: 104 days

class FlowReader {
 public:
  FlowReader(std::string_view text, const std::string& name, const Fabric& fabric, const Routes& routes,
             Problems& problems)
      : tokens_(text, name), fabric_(fabric), routes_(routes), problems_(problems) {}

  FlowFile read() {
    const auto count = tokens_.integer("the number of flows", 0, 1 << 24, problems_);
    for (std::int64_t i = 0; count && i < *count && !tokens_.at_end(); ++i) read_flow();
    const Token rest = tokens_.next();
    if (count && (!rest.text.empty() || length_of(file_.flows) + skipped_ != *count))
      problems_.error(rest.place(tokens_.file()),
                      "the first line says " + std::to_string(*count) + " flows, and " +
                          (rest.text.empty() ? "fewer" : "more") + " follow",
                      "correct the first line, or the list");
    find_dependencies();
    refuse_cycles();
    return std::move(file_);
  }

 private:
  void read_flow() {
    constexpr std::int64_t any = std::numeric_limits<std::int32_t>::max();
    const std::int32_t last = fabric_.nodes() - 1;
    const auto id = tokens_.integer("the id of a flow", 0, any, problems_);
    const Token place = place_of_next();
    const auto source = tokens_.integer("a host", 0, last, problems_);
    const auto destination = tokens_.integer("a host", 0, last, problems_);
    const auto priority = tokens_.integer("a priority", 1, priorities_below_control, problems_);
    const auto port = tokens_.integer("a port", 0, 65535, problems_);
    const auto bytes = tokens_.integer("a size in bytes", 1, most_bytes, problems_);
    const auto start = tokens_.integer("a start in ns", 0, most_start, problems_);
    const auto after = tokens_.integer("the id of a flow, or -1", -1, any, problems_);
    if (!id || !source || !destination || !priority || !port || !bytes || !start || !after) {
      ++skipped_;
      return;
    }
    check_ends(static_cast<std::int32_t>(*source), static_cast<std::int32_t>(*destination), place);
    if (!place_of_id_.emplace(*id, length_of(file_.flows)).second)
      problems_.error(place.place(tokens_.file()), "two flows have the id " + std::to_string(*id),
                      "give each an id of its own");
    file_.flows.push_back({.source = static_cast<std::int32_t>(*source),
                           .destination = static_cast<std::int32_t>(*destination),
                           .priority = static_cast<std::int32_t>(*priority),
                           .bytes = *bytes,
                           .start = SimTime(*start * 1000)});
    file_.ids.push_back(*id);
    after_.push_back(*after);
    places_.push_back(place);
  }

  Token place_of_next() {
    Tokens copy = tokens_;
    return copy.next();
  }

  void check_ends(std::int32_t source, std::int32_t destination, const Token& place) {
    const bool are_hosts = fabric_.is_host(source) && fabric_.is_host(destination);
    if (are_hosts && source != destination && !routes_.next_ports(source, destination).empty()) return;
    const std::string pair = std::to_string(source) + " to " + std::to_string(destination);
    problems_.error(place.place(tokens_.file()), "no flow can go from " + pair,
                    are_hosts && source != destination ? "add links that join them to the topology"
                                                       : "name two different hosts; switches have no flows");
  }

  void find_dependencies() {
    for (std::int32_t i = 0; i < length_of(file_.flows); ++i) {
      if (after_[at(i)] < 0) continue;
      const auto found = place_of_id_.find(after_[at(i)]);
      if (found != place_of_id_.end())
        file_.flows[at(i)].after = found->second;
      else
        problems_.error(
            places_[at(i)].place(tokens_.file()),
            "the flow waits for flow " + std::to_string(after_[at(i)]) + ", which is not in the file",
            "name the id of a flow, or -1");
    }
  }

  void refuse_cycles() {
    std::vector<std::int8_t> state(file_.flows.size(), 0);  // 0 not seen, 1 on the way, 2 sound
    for (std::int32_t first = 0; first < length_of(file_.flows); ++first) {
      std::int32_t i = first;
      for (; i >= 0 && state[at(i)] == 0; i = file_.flows[at(i)].after) state[at(i)] = 1;
      if (i >= 0 && state[at(i)] == 1)
        problems_.error(places_[at(i)].place(tokens_.file()),
                        "flow " + std::to_string(file_.ids[at(i)]) + " waits for its own end",
                        "give -1 to the flow that starts first");
      for (i = first; i >= 0 && state[at(i)] == 1; i = file_.flows[at(i)].after) state[at(i)] = 2;
    }
  }

  static constexpr std::int64_t priorities_below_control = 7;

  Tokens tokens_;
  const Fabric& fabric_;
  const Routes& routes_;
  Problems& problems_;
  FlowFile file_;
  std::vector<std::int64_t> after_;  // [flow] ids
  std::vector<Token> places_;        // [flow]
  std::map<std::int64_t, std::int32_t> place_of_id_;
  std::int64_t skipped_ = 0;
};

}  // namespace

FlowFile read_flows(std::string_view text, const std::string& name, const Fabric& fabric,
                    const Routes& routes, Problems& problems) {
  return FlowReader(text, name, fabric, routes, problems).read();
}

}  // namespace echo::packets
