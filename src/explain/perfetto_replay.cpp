#include "explain/perfetto_replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "base/at.hpp"
#include "base/error.hpp"
#include "explain/perfetto_events.hpp"
#include "ops/describe.hpp"
#include "text/json.hpp"

namespace echo::explain {

namespace {

using trace::Node;
using trace::NodeKind;

constexpr std::int32_t host_thread = 0;

// One gpu rank as a process.
struct DrawnRank {
  std::int32_t gpu_rank = 0, traced = 0;  // traced: which of the trace's ranks it does the same as
};

std::vector<DrawnRank> ranks_to_draw(const trace::Trace& trace, const std::vector<std::int32_t>& asked) {
  std::vector<DrawnRank> drawn;
  const auto count = static_cast<std::int32_t>(trace.ranks.size());
  if (asked.empty())
    for (std::int32_t i = 0; i < count; ++i) drawn.push_back({trace.ranks[at(i)].rank, i});
  for (const std::int32_t rank : asked) {
    std::int32_t traced = 0;
    while (traced < count && trace.ranks[at(traced)].rank != rank &&
           std::ranges::count(trace.ranks[at(traced)].stands_for, rank) == 0)
      ++traced;
    if (traced == count)
      throw UserError(fmt::format("the trace has no gpu rank {}", rank),
                      "echo-sweep trace-info TRACE lists its ranks");
    drawn.push_back({rank, traced});
  }
  return drawn;
}

class ReplayTrace {
 public:
  ReplayTrace(const simulate::ReplayScratch& scratch, const ReplayTraceRequest& request)
      : s_(scratch), ranks_(ranks_to_draw(*scratch.trace, request.ranks)) {
    for (const DrawnRank& rank : ranks_)
      if (!threads_.contains(rank.traced)) find_threads(rank.traced);
    std::int64_t budget = request.most_events - names();
    if (budget < 0)
      throw UserError(fmt::format("{} events do not suffice for the names of {} ranks", request.most_events,
                                  ranks_.size()),
                      fmt::format("--max-events {} or more, or fewer --ranks", names()));
    choose_ops(budget);
  }

  void draw(TraceEvents& out) const {
    for (const DrawnRank& rank : ranks_) {
      const trace::RankTrace& traced = s_.trace->ranks[at(rank.traced)];
      out.name_process(rank.gpu_rank,
                       traced.rank == rank.gpu_rank
                           ? fmt::format("gpu rank {}", rank.gpu_rank)
                           : fmt::format("gpu rank {} (does as gpu rank {})", rank.gpu_rank, traced.rank));
      out.name_thread({rank.gpu_rank, host_thread}, "host waits");
      for (const auto& [key, thread] : threads_.at(rank.traced))
        out.name_thread({rank.gpu_rank, thread}, name_of(key));
      for (const std::int32_t op : ops_of(rank.traced))
        if (is_chosen_[at(op)]) draw(out, rank, op);
    }
  }

  [[nodiscard]] ReplayTraceSize size() const { return {.events = 0, .ops = ops_, .drawn = drawn_}; }

 private:
  // A stream, or of ops without one the kind.
  struct Key {
    std::int32_t stream = -1;
    NodeKind kind = NodeKind::compute;
    friend auto operator<=>(const Key&, const Key&) = default;
  };

  static Key key_of(const Node& node) {
    if (node.stream >= 0) return {.stream = node.stream};
    return {.kind = node.communicates() ? NodeKind::collective : node.kind};
  }
  static std::string name_of(const Key& key) {
    if (key.stream >= 0) return fmt::format("stream {}", key.stream);
    return key.kind == NodeKind::collective ? "communication"
                                            : std::string(trace::node_kind_names[at(key.kind)]);
  }

  [[nodiscard]] std::vector<std::int32_t> ops_of(std::int32_t traced) const {
    const std::int32_t begin = s_.graph.rank_begin[at(traced)], end = s_.graph.rank_begin[at(traced) + 1];
    std::vector<std::int32_t> ops(at(end - begin));
    std::iota(ops.begin(), ops.end(), begin);
    return ops;
  }
  [[nodiscard]] SimTime length_of_op(std::int32_t op) const {
    return s_.ran.end[at(op)] - s_.ran.start[at(op)];
  }

  // Two events name a process, one each thread.
  [[nodiscard]] std::int64_t names() const {
    std::int64_t all = 0;
    for (const DrawnRank& rank : ranks_) all += 3 + std::ssize(threads_.at(rank.traced));
    return all;
  }

  void find_threads(std::int32_t traced) {
    auto& threads = threads_[traced];
    for (const std::int32_t op : ops_of(traced))
      if (s_.nodes[at(op)]->kind != NodeKind::wait) threads[key_of(*s_.nodes[at(op)])] = 0;
    std::int32_t next = host_thread;
    for (auto& [key, thread] : threads) thread = ++next;
  }

  // The longest ops that the budget allows; of equal ones the earlier. Ranks that do the same are drawn
  // alike.
  void choose_ops(std::int64_t budget) {
    is_chosen_.assign(s_.nodes.size(), false);
    std::map<std::int32_t, std::int64_t> copies;  // of each traced rank
    for (const DrawnRank& rank : ranks_) ++copies[rank.traced];
    std::vector<std::pair<SimTime, std::int32_t>> timed;
    for (const auto& [traced, count] : copies) {
      for (const std::int32_t op : ops_of(traced)) {
        if (length_of_op(op) == SimTime::zero()) continue;
        timed.emplace_back(SimTime::zero() - length_of_op(op), op);
        ops_ += count;
      }
    }
    std::ranges::sort(timed);
    for (const auto& [length, op] : timed) {
      const std::int64_t count = copies.at(s_.plan.rank[at(op)]);
      if (count > budget) break;
      budget -= count;
      drawn_ += count;
      is_chosen_[at(op)] = true;
    }
  }

  [[nodiscard]] std::string what(std::int32_t op) const {
    const Node& node = *s_.nodes[at(op)];
    const std::string own = s_.trace->names[at(node.name)];
    if (node.kind == NodeKind::compute && node.kernel >= 0)
      return ops::describe(s_.trace->kernels[at(node.kernel)]);
    if (node.communicates() && s_.asks.of[at(op)] >= 0)
      return ops::describe(s_.queries[at(s_.asks.of[at(op)])]);
    return own.empty() ? std::string(trace::node_kind_names[at(node.kind)]) : own;
  }

  void draw(TraceEvents& out, const DrawnRank& rank, std::int32_t op) const {
    const Node& node = *s_.nodes[at(op)];
    const bool waits = node.kind == NodeKind::wait;
    const std::int32_t thread = waits ? host_thread : threads_.at(rank.traced).at(key_of(node));
    const std::string& own = s_.trace->names[at(node.name)];
    std::string args = fmt::format(R"("node":{},"recorded_as":{})", node.id, text::json_text(own));
    if (!waits)
      args += fmt::format(R"(,"alone_us":{},"issued_us":{})", microseconds(s_.alone[at(op)]),
                          microseconds(s_.ran.issue[at(op)]));
    out.slice({rank.gpu_rank, thread}, waits ? "wait" : what(op),
              waits ? "wait" : std::string_view(time_category_names[at(s_.graph.part[at(op)])]),
              s_.ran.start[at(op)], s_.ran.end[at(op)], {}, args);
  }

  const simulate::ReplayScratch& s_;
  std::vector<DrawnRank> ranks_;
  std::map<std::int32_t, std::map<Key, std::int32_t>> threads_;  // by traced rank: thread of each stream
  std::vector<bool> is_chosen_;                                  // [ops]
  std::int64_t ops_ = 0, drawn_ = 0;
};

}  // namespace

ReplayTraceSize trace_replay(const simulate::ReplayScratch& scratch, std::string_view title,
                             const ReplayTraceRequest& request, const std::filesystem::path& path) {
  const ReplayTrace drawing(scratch, request);
  TraceFile file(path);
  TraceEvents events(file, fmt::format(R"("title":{},"step_us":{})", text::json_text(title),
                                       microseconds(scratch.ran.makespan)));
  drawing.draw(events);
  events.finish();
  ReplayTraceSize size = drawing.size();
  size.events = events.events();
  return size;
}

}  // namespace echo::explain
