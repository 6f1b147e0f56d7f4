// Sound traces of every kind of node, drawn from a seed; tables in the order of first use.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "base/at.hpp"
#include "ops/kernel_fields.hpp"
#include "trace/trace.hpp"

namespace echo::testing {

class RandomTrace {
 public:
  explicit RandomTrace(std::uint64_t seed) : engine_(seed) {}

  trace::Trace draw() {
    trace::Trace out;
    out.world = static_cast<std::int32_t>(up_to(16)) + 1;
    if (chance()) out.gpu = "NVIDIA \"H100\" 80GB\tHBM3";
    for (std::int64_t i = up_to(2); i > 0; --i) out.notes.push_back("note " + std::to_string(i));
    for (std::int64_t i = up_to(4); i > 0; --i)
      out.groups.push_back(group("g" + std::to_string(i), out.world));
    for (std::int32_t rank = 0; rank < out.world; ++rank)
      if (chance()) add_rank(out, rank);
    return out;
  }

 private:
  std::int64_t up_to(std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(0, most)(engine_);
  }
  bool chance() { return up_to(1) == 1; }

  trace::Group group(const std::string& name, std::int32_t world) {
    trace::Group out{.name = name, .role = static_cast<trace::GroupRole>(up_to(6))};
    for (std::int32_t rank = 0; rank < world; ++rank)
      if (chance()) out.ranks.push_back(rank);
    std::shuffle(out.ranks.begin(), out.ranks.end(), engine_);
    return out;
  }

  void add_rank(trace::Trace& out, std::int32_t rank) {
    trace::RankTrace row{.rank = rank, .stands_for = {rank}};
    std::int64_t id = 0;
    for (std::int64_t count = up_to(12); count > 0; --count) {
      trace::Node node = draw_node(out, rank);
      node.id = id;
      id += chance() ? 1 : up_to(1000) + 1;
      links(row.needs, row.nodes.size());
      links(row.follows, row.nodes.size());
      row.nodes.push_back(node);
    }
    out.ranks.push_back(std::move(row));
  }

  void links(Csr<std::int32_t>& rows, std::size_t earlier) {
    for (std::size_t i = 0; i < earlier; ++i)
      if (up_to(4) == 0) rows.push(static_cast<std::int32_t>(i));
    rows.close_row();
  }

  trace::Node draw_node(trace::Trace& out, std::int32_t rank) {
    using trace::NodeKind;
    trace::Node node{.kind = static_cast<NodeKind>(up_to(5)), .pass = static_cast<trace::Pass>(up_to(4))};
    const std::vector<std::string> words{"", "aten::mm", "a \"b\" \\ \n\x01", "gr\xC3\xBC\xC3\x9F"};
    node.name = place_in(out.names, words[at(up_to(3))]);
    node.stream = static_cast<std::int32_t>(up_to(3)) - 1;
    if (chance()) node.duration = SimTime(chance() ? up_to(5'000'000) : up_to(9'000'000'000'000'000'000));
    if (chance()) node.gap = SimTime(up_to(100'000'000));
    if (chance()) node.bytes = Bytes(up_to(std::int64_t{1} << 50));
    if (node.kind == NodeKind::compute) {
      if (chance()) node.kernel = place_in(out.kernels, kernel());
      if (chance()) node.flops = std::uniform_real_distribution<double>(0.0, 1e18)(engine_);
    }
    if (node.communicates()) communication(node, out, rank);
    return node;
  }

  void communication(trace::Node& node, const trace::Trace& out, std::int32_t rank) {
    const bool is_hop = node.kind != trace::NodeKind::collective;
    node.collective = is_hop ? ops::CollectiveKind::send_recv : static_cast<ops::CollectiveKind>(up_to(8));
    node.precision = static_cast<machine::Precision>(up_to(machine::precision_count - 1));
    for (std::size_t g = 0; g < out.groups.size(); ++g)
      if (const auto& ranks = out.groups[g].ranks; std::find(ranks.begin(), ranks.end(), rank) != ranks.end())
        node.group = static_cast<std::int32_t>(g);
    if (is_hop || chance()) node.peer = static_cast<std::int32_t>(up_to(out.world - 1));
    if (chance()) node.tag = up_to(1'000'000) - 500'000;
    if (chance()) node.launch = static_cast<std::int32_t>(up_to(5));
  }

  ops::KernelKey kernel() {
    ops::KernelNumbers numbers = ops::numbers_of({});
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const auto& words = ops::kernel_fields()[i].names;
      if (chance())
        numbers[i] = static_cast<std::int32_t>(
            words.empty() ? up_to(100'000) + 1 : up_to(static_cast<std::int64_t>(words.size()) - 1));
    }
    return ops::key_of(numbers);
  }

  template <class T>
  static std::int32_t place_in(std::vector<T>& table, const T& one) {
    const auto found = std::find(table.begin(), table.end(), one);
    if (found != table.end()) return static_cast<std::int32_t>(found - table.begin());
    table.push_back(one);
    return static_cast<std::int32_t>(table.size()) - 1;
  }

  std::mt19937_64 engine_;
};

}  // namespace echo::testing
