// All ranks do the same at the same times, so that one of them is followed: what it hands on to the next rank
// is what it gets from the one before, and its two cables stand for all. O(n^2 log n) for n ranks.
#include "textbook/direct_on_ring.hpp"

#include <algorithm>
#include <queue>
#include <tuple>
#include <vector>

#include "base/at.hpp"

namespace echo::textbook {
namespace {

// A message that comes to a cable.
struct Coming {
  SimTime time{};
  std::int64_t order = 0;
  std::int32_t apart = 0;             // its destination, in ranks from its source
  std::int32_t left = 0;              // links
  std::int64_t hops = 0, before = 0;  // of its chain
  [[nodiscard]] bool operator>(const Coming& other) const {
    return std::tie(time, order) > std::tie(other.time, other.order);
  }
};

class Ring {
 public:
  explicit Ring(const RingMessages& m) : m_(m) {
    for (std::int64_t one = 0; one < m.beside; ++one)
      for (std::int64_t slot = 1; slot <= std::min<std::int64_t>(m.window, m.ranks - 1); ++slot)
        send(static_cast<std::int32_t>(slot), {});
  }

  LastMessage run() {
    while (!coming_.empty()) {
      Coming message = coming_.top();
      coming_.pop();
      SimTime& free = free_[is_forwards(message.apart) ? 0 : 1];
      free = std::max(free, message.time) + m_.wire;
      message.time = free + m_.latency;
      ++message.hops;
      if (--message.left == 0)
        end(message);
      else
        push(message);
    }
    return last_;
  }

 private:
  [[nodiscard]] bool is_forwards(std::int32_t apart) const { return 2 * apart <= m_.ranks; }
  void push(Coming message) {
    message.order = order_++;
    coming_.push(message);
  }
  void send(std::int32_t apart, Coming after) {
    after.apart = apart;
    after.left = std::min(apart, m_.ranks - apart);
    push(after);
  }
  void end(Coming message) {
    message.time += m_.receiver;
    if (message.time > last_.end) last_ = {message.time, message.hops, message.before};
    ++message.before;
    if (message.apart + m_.window < m_.ranks)
      send(message.apart + static_cast<std::int32_t>(m_.window), message);
  }

  const RingMessages& m_;
  std::priority_queue<Coming, std::vector<Coming>, std::greater<>> coming_;
  std::int64_t order_ = 0;
  SimTime free_[2]{};
  LastMessage last_;
};

}  // namespace

LastMessage direct_on_ring(const RingMessages& messages) { return Ring(messages).run(); }

}  // namespace echo::textbook
