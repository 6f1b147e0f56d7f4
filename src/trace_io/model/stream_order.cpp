#include "trace_io/model/stream_order.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "base/at.hpp"

namespace echo::trace_io {

namespace {

// The end of a stream: the nodes of its last launch, which ran side by side, and the node before them.
struct Tail {
  std::vector<std::int32_t> last, before;
  std::int32_t launch = -1;
  std::int32_t wait = -1;  // the last `wait` that ops of this stream already follow
};

bool has(std::span<const std::int32_t> row, std::int32_t node) {
  return std::find(row.begin(), row.end(), node) != row.end();
}

}  // namespace

Csr<std::int32_t> stream_order(const trace::RankTrace& rank) {
  Csr<std::int32_t> out;
  std::map<std::int32_t, Tail> tails;
  std::int32_t wait = -1;
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(rank.nodes.size()); ++i) {
    const trace::Node& node = rank.nodes[at(i)];
    const auto add = [&](std::int32_t earlier) {
      if (!has(rank.needs.row(i), earlier) && !has(rank.follows.row(i), earlier)) out.push(earlier);
    };
    const bool waits = node.kind == trace::NodeKind::wait;
    Tail unordered;
    Tail& tail = node.stream < 0 || waits ? unordered : tails[node.stream];
    const bool joins = node.launch >= 0 && node.launch == tail.launch;
    if (!joins) {
      tail.before = std::move(tail.last);
      tail.last.clear();
      tail.launch = node.launch;
    }
    for (const std::int32_t earlier : tail.before) add(earlier);
    if (wait >= 0 && (tail.wait != wait || joins)) add(wait);
    if (!joins) tail.wait = wait;
    tail.last.push_back(i);
    if (waits) wait = i;
    out.close_row();
  }
  return out;
}

}  // namespace echo::trace_io
