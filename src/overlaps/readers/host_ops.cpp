#include "overlaps/readers/host_ops.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <tuple>

#include "base/at.hpp"

namespace echo::overlaps {

namespace {

constexpr std::size_t most_around = 64, most_looks = 256;

template <class Less>
std::vector<std::int32_t> order_of(std::size_t count, Less less) {
  std::vector<std::int32_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), less);
  return order;
}

}  // namespace

std::vector<std::vector<std::int32_t>> ops_around(const std::vector<HostOp>& ops,
                                                  const std::vector<HostCall>& calls) {
  const auto op_order = order_of(ops.size(), [&](std::int32_t a, std::int32_t b) {
    const HostOp &one = ops[at(a)], &two = ops[at(b)];
    return std::tuple(one.thread, one.start, -one.end) < std::tuple(two.thread, two.start, -two.end);
  });
  const auto call_order = order_of(calls.size(), [&](std::int32_t a, std::int32_t b) {
    return std::tuple(calls[at(a)].thread, calls[at(a)].start) <
           std::tuple(calls[at(b)].thread, calls[at(b)].start);
  });
  std::vector<std::vector<std::int32_t>> out(calls.size());
  std::vector<std::int32_t> running;
  std::size_t next = 0;
  for (const std::int32_t number : call_order) {
    const HostCall& call = calls[at(number)];
    const auto begins_by_then = [&](const HostOp& op) {
      return std::tuple(op.thread, op.start) <= std::tuple(call.thread, call.start);
    };
    for (; next < op_order.size() && begins_by_then(ops[at(op_order[next])]); ++next) {
      const HostOp& op = ops[at(op_order[next])];
      const auto is_over = [&](const HostOp& one) { return one.thread != op.thread || one.end <= op.start; };
      while (!running.empty() && is_over(ops[at(running.back())])) running.pop_back();
      running.push_back(op_order[next]);
    }
    std::size_t looks = 0;
    for (auto one = running.rbegin(); one != running.rend() && ++looks <= most_looks; ++one) {
      if (ops[at(*one)].thread != call.thread || out[at(number)].size() == most_around) break;
      if (ops[at(*one)].end >= call.start) out[at(number)].push_back(*one);
    }
  }
  return out;
}

}  // namespace echo::overlaps
