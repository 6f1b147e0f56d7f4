// Colour refinement. Two flows are equivalent if they are of one kind and their links are equivalent; two
// links are equivalent if they have the same capacity and their flows are equivalent. Starting from "all
// links of one capacity are equivalent", each colour is refined by the colours it meets until no link class
// splits; the partition is then equitable: every link of a class carries the same number of flows of each
// class. Progressive filling cannot distinguish such flows, so it may run on one link and one flow of each
// class. Colours are 64-bit hashes; sums of hashes stand for multisets. Source: Grohe et al., "Dimension
// reduction via colour refinement", ESA 2014 (the same for linear programs). Neglected: hash collisions of
// two colours (one in 2^64 / classes^2).
#include "network/fold.hpp"

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "base/at.hpp"
#include "base/contract.hpp"
#include "base/counter_rng.hpp"

namespace echo::network {
namespace {

std::uint64_t with(std::uint64_t colour, double share) {
  return mix(colour ^ std::bit_cast<std::uint64_t>(share));
}

std::size_t link_classes(Folded& out) {
  out.sorted.clear();
  for (const std::int32_t link : out.touched) out.sorted.push_back(out.link_colour[at(link)]);
  std::sort(out.sorted.begin(), out.sorted.end());
  return static_cast<std::size_t>(std::unique(out.sorted.begin(), out.sorted.end()) - out.sorted.begin());
}

void refine(std::span<const FlowUses> flows, std::span<const std::uint64_t> kind, Folded& out) {
  for (std::size_t classes = link_classes(out), before = 0; classes != before;) {
    for (const std::int32_t link : out.touched) out.link_sum[at(link)] = 0;
    for (std::size_t flow = 0; flow < flows.size(); ++flow) {
      std::uint64_t colour = kind[flow];
      flows[flow].for_each(
          [&](const LinkUse& use) { colour += with(out.link_colour[at(use.link)], use.share); });
      out.flow_colour[flow] = colour = mix(colour);
      flows[flow].for_each(
          [&](const LinkUse& use) { out.link_sum[at(use.link)] += with(colour, use.share); });
    }
    for (const std::int32_t link : out.touched)
      out.link_colour[at(link)] = mix(out.link_colour[at(link)] ^ mix(out.link_sum[at(link)]));
    before = classes;
    classes = link_classes(out);
  }
}

// Numbers the colours in the order in which they are met.
class Numbering {
 public:
  std::int32_t of(std::uint64_t colour) {
    return number_.try_emplace(colour, static_cast<std::int32_t>(number_.size())).first->second;
  }
  [[nodiscard]] std::size_t size() const { return number_.size(); }

 private:
  std::unordered_map<std::uint64_t, std::int32_t> number_;  // look-up only
};

void find_touched(std::span<const FlowUses> flows, std::span<const double> capacity, Folded& out) {
  out.link_class.assign(capacity.size(), -1);
  out.link_colour.resize(capacity.size());
  out.link_sum.resize(capacity.size());
  out.touched.clear();
  for (const FlowUses& flow : flows)
    flow.for_each([&](const LinkUse& use) {
      if (out.link_class[at(use.link)] == 0) return;
      out.link_class[at(use.link)] = 0;
      out.touched.push_back(use.link);
      out.link_colour[at(use.link)] = mix(std::bit_cast<std::uint64_t>(capacity[at(use.link)]));
    });
}

}  // namespace

void fold(std::span<const FlowUses> flows, std::span<const std::uint64_t> kind,
          std::span<const double> capacity, Folded& out) {
  ECHO_EXPECT(kind.size() == flows.size());
  find_touched(flows, capacity, out);
  out.flow_colour.resize(kind.size());
  refine(flows, kind, out);
  Numbering links;
  out.capacity.clear();
  out.link_count.clear();
  for (const std::int32_t link : out.touched) {
    const std::int32_t c = out.link_class[at(link)] = links.of(out.link_colour[at(link)]);
    if (at(c) == out.capacity.size()) out.capacity.push_back(capacity[at(link)]), out.link_count.push_back(0);
    ++out.link_count[at(c)];
  }
  Numbering classes;
  std::vector<std::int64_t> size;
  out.class_of.resize(kind.size());
  out.first.clear();
  for (std::size_t flow = 0; flow < flows.size(); ++flow) {
    const std::int32_t c = out.class_of[flow] = classes.of(out.flow_colour[flow]);
    if (at(c) == out.first.size()) out.first.push_back(static_cast<std::int32_t>(flow)), size.push_back(0);
    ++size[at(c)];
  }
  out.uses.clear();
  std::vector<double> taken(out.capacity.size(), 0.0);
  for (std::size_t c = 0; c < out.first.size(); ++c) {
    const FlowUses& row = flows[at(out.first[c])];
    row.for_each([&](const LinkUse& use) {  // what the whole class takes of the link's whole class
      taken[at(out.link_class[at(use.link)])] += use.share * static_cast<double>(size[c]);
    });
    row.for_each([&](const LinkUse& use) {
      const std::int32_t link = out.link_class[at(use.link)];
      if (taken[at(link)] == 0.0) return;
      out.uses.push({link, taken[at(link)] / out.link_count[at(link)]});
      taken[at(link)] = 0.0;
    });
    out.uses.close_row();
  }
}

}  // namespace echo::network
