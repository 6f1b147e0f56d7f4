#include "search/best_first.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <tuple>
#include <utility>

namespace echo::search {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

// Deeper sets first where bounds are equal: points come soonest.
bool promises_less(const Node& a, const Node& b) {
  return std::tuple(a.least[0], -a.tier, a.group, a.stretch.begin) >
         std::tuple(b.least[0], -b.tier, b.group, b.stretch.begin);
}

class Search {
 public:
  Search(const sweep::Search& search, const Aims& aims, SearchPlan plan)
      : aims_(aims), gap_(plan.gap), found_(search, aims.count()) {
    certificate_.combinations = plan.combinations;
    for (Node& part : plan.whole) {
      certificate_.kept += part.members;
      push(std::move(part));
    }
  }

  SearchResult run(const RunTasks& run_tasks, const SeeProgress& see) {
    SearchResult result;
    while (!is_close_enough()) {
      const std::vector<Node> tasks = next_tasks();
      if (tasks.empty()) break;
      take_in(run_tasks(tasks));
      looked_at_ += std::ssize(tasks);
      ++progress_.rounds;
      note();
      if (!see(progress())) {
        result.is_stopped = true;
        break;
      }
    }
    result.certificate = conclude();
    return result;
  }

 private:
  void push(Node node) {
    queue_.push_back(std::move(node));
    std::ranges::push_heap(queue_, promises_less);
  }
  Node pop() {
    std::ranges::pop_heap(queue_, promises_less);
    Node node = std::move(queue_.back());
    queue_.pop_back();
    return node;
  }
  void settle(Node node, Fate fate) {
    node.fate = fate;
    progress_.decided += node.members;
    certificate_.sets.push_back(std::move(node));
  }

  std::vector<Node> next_tasks() {
    const std::size_t most = std::clamp<std::size_t>(queue_.size() / 64, 16, 512);
    std::vector<Node> tasks;
    while (!queue_.empty() && tasks.size() < most) {
      Node node = pop();
      if (found_.excludes(node))
        settle(std::move(node), Fate::bound);
      else
        tasks.push_back(std::move(node));
    }
    return tasks;
  }

  void take_in(std::vector<Outcome> outcomes) {
    for (Outcome& outcome : outcomes) {
      if (outcome.is_failed) ++certificate_.failed;
      for (Node& part : outcome.parts) {
        if (part.fate == Fate::simulated) {
          ++progress_.simulated;
          if (outcome.is_eligible) found_.add(part.slice, {part.least, part.first_filed});
        }
        if (part.fate != Fate::open) {
          const Fate fate = part.fate;
          settle(std::move(part), fate);
          continue;
        }
        if (found_.excludes(part))
          settle(std::move(part), Fate::bound);
        else
          push(std::move(part));
      }
    }
  }

  // A round that moves neither value by a thousandth leaves no moment.
  void note() {
    const Moment now{looked_at_, progress_.simulated, found_.best(), possible()};
    if (!certificate_.moments.empty()) {
      const Moment& before = certificate_.moments.back();
      const bool is_news = now.best < before.best || !std::isfinite(before.possible) ||
                           now.possible - before.possible > 1e-3 * std::fabs(before.possible);
      if (!is_news) return;
    }
    if (std::isfinite(now.possible)) certificate_.moments.push_back(now);
  }

  // What no open set can beat.
  [[nodiscard]] double possible() const {
    return queue_.empty() ? found_.best() : std::min(found_.best(), queue_.front().least[0]);
  }

  // The share by which an open set may be better than the best of its slice.
  [[nodiscard]] double open_gap() const {
    double widest = 0.0;
    for (const Node& node : queue_) {
      if (found_.excludes(node)) continue;
      const double best = found_.best_of(node);
      if (!node.is_sliced || !std::isfinite(best) || !std::isfinite(node.least[0])) return infinite;
      widest = std::max(widest, (best - node.least[0]) / std::fabs(best));
    }
    return widest;
  }
  [[nodiscard]] bool is_close_enough() const {
    return gap_ > 0.0 && std::isfinite(found_.best()) && open_gap() <= gap_;
  }

  SearchProgress progress() {
    progress_.open = static_cast<std::int64_t>(queue_.size());
    progress_.kept = certificate_.kept;
    const auto value = [&](double cost) { return std::isfinite(cost) ? aims_.value_of(0, cost) : NAN; };
    progress_.best = value(found_.best());
    progress_.possible = value(possible());
    return progress_;
  }

  Certificate conclude() {
    certificate_.gap = open_gap();
    const double best_possible = possible();
    for (Node& node : queue_) {
      const Fate fate = found_.excludes(node) ? Fate::bound : Fate::open;
      settle(std::move(node), fate);
    }
    queue_.clear();
    if (certificate_.moments.empty() || certificate_.moments.back().looked_at < looked_at_)
      certificate_.moments.push_back({looked_at_, progress_.simulated, found_.best(), best_possible});
    join_sets(certificate_.sets, [&](const Node& set) { return found_.excludes(set); });
    certificate_.points = found_.points();
    return std::move(certificate_);
  }

  const Aims& aims_;
  double gap_;
  Incumbents found_;
  std::vector<Node> queue_;  // a heap
  Certificate certificate_;
  SearchProgress progress_;
  std::int64_t looked_at_ = 0;  // sets
};

}  // namespace

SearchResult search_best(const sweep::Search& search, const Aims& aims, SearchPlan plan,
                         const RunTasks& run_tasks, const SeeProgress& see) {
  return Search(search, aims, std::move(plan)).run(run_tasks, see);
}

}  // namespace echo::search
