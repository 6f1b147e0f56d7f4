// Cost of simulating one collective as flows, from the route of each flow to the end; the graph stands.
#include <benchmark/benchmark.h>

#include <numeric>

#include "base/counter_rng.hpp"
#include "base/named_table.hpp"
#include "machine/topology.hpp"
#include "network/flow_level.hpp"
#include "network/nccl_phases.hpp"

namespace echo::network {
namespace {

machine::ClusterSpec cluster(double oversubscription) {
  machine::ClusterSpec c;
  c.scale_up = {BytesPerSecond(450e9), SimTime(100'000)};
  c.scale_out = {BytesPerSecond(50e9), SimTime(130'000)};
  c.oversubscription = oversubscription;
  c.nodes_per_leaf = 32;
  return c;
}

void simulate(benchmark::State& state, const char* topology, ops::NcclAlgorithm method,
              ops::CollectiveKind kind, machine::Routing routing) {
  const auto gpus = static_cast<std::int32_t>(state.range(0));
  machine::NetworkGraph graph;
  const auto& table = machine::topology_table();
  table[static_cast<std::size_t>(find_named(table, topology))]->build(cluster(2.0), gpus / 8, graph);
  std::vector<std::int32_t> members(static_cast<std::size_t>(gpus));
  std::iota(members.begin(), members.end(), 0);
  SimTime end{};
  std::int64_t solutions = 0;
  for (auto _ : state) {
    textbook::Phases phases;
    phases_of(method, kind, std::int64_t{64} << 20, {gpus, 8}, phases);
    Router router(graph, routing, 1);
    const Activity activity{.phases = &phases, .gpus = members};
    const FlowTimes times = simulate_flows(graph, router, {&activity, 1});
    end = times.end[0];
    solutions = times.solutions;
  }
  state.counters["simulated_us"] = to_microseconds(end);
  state.counters["solutions"] = static_cast<double>(solutions);
}

// Every GPU sends 64 MiB to a random other one, hashed onto the uplinks: no two flows are alike, nothing
// folds.
void simulate_permutation(benchmark::State& state) {
  const auto gpus = static_cast<std::int32_t>(state.range(0));
  machine::NetworkGraph graph;
  const auto& table = machine::topology_table();
  table[static_cast<std::size_t>(find_named(table, "fat_tree"))]->build(cluster(1.0), gpus / 8, graph);
  std::vector<std::int32_t> members(static_cast<std::size_t>(gpus)), to;
  std::iota(members.begin(), members.end(), 0);
  to = members;
  for (std::size_t i = to.size() - 1; i > 0; --i) std::swap(to[i], to[draw(1, 1, i) % (i + 1)]);
  textbook::Phases phases;
  for (const std::int32_t from : members)
    phases.transfers.push_back(
        {from, to[static_cast<std::size_t>(from)],
         1'000'000 + static_cast<std::int64_t>(draw(1, 2, static_cast<std::uint64_t>(from)) % 64'000'000)});
  phases.close();
  FlowTimes times;
  for (auto _ : state) {
    Router router(graph, machine::Routing::ecmp, 1);
    const Activity activity{.phases = &phases, .gpus = members};
    times = simulate_flows(graph, router, {&activity, 1});
  }
  state.counters["simulated_us"] = to_microseconds(times.end[0]);
  state.counters["solutions"] = static_cast<double>(times.solutions);
}
BENCHMARK(simulate_permutation)->RangeMultiplier(2)->Range(512, 4096)->Unit(benchmark::kMillisecond);

using machine::Routing;
using ops::CollectiveKind;
BENCHMARK_CAPTURE(simulate, ring_rails, "rail_optimized", ops::NcclAlgorithm::ring,
                  CollectiveKind::all_reduce, Routing::adaptive)
    ->RangeMultiplier(2)
    ->Range(64, 4096)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulate, ring_fat_tree, "fat_tree", ops::NcclAlgorithm::ring, CollectiveKind::all_reduce,
                  Routing::adaptive)
    ->RangeMultiplier(2)
    ->Range(64, 4096)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulate, ring_fat_tree_ecmp, "fat_tree", ops::NcclAlgorithm::ring,
                  CollectiveKind::all_reduce, Routing::ecmp)
    ->RangeMultiplier(2)
    ->Range(64, 4096)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulate, tree_rails, "rail_optimized", ops::NcclAlgorithm::tree,
                  CollectiveKind::all_reduce, Routing::adaptive)
    ->RangeMultiplier(2)
    ->Range(64, 4096)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulate, all_to_all_rails, "rail_optimized", ops::NcclAlgorithm::pairwise,
                  CollectiveKind::all_to_all, Routing::minimal)
    ->RangeMultiplier(2)
    ->Range(64, 1024)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulate, all_to_all_ecmp, "fat_tree", ops::NcclAlgorithm::pairwise,
                  CollectiveKind::all_to_all, Routing::ecmp)
    ->RangeMultiplier(2)
    ->Range(64, 256)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulate, all_to_all_fat_tree, "fat_tree", ops::NcclAlgorithm::pairwise,
                  CollectiveKind::all_to_all, Routing::minimal)
    ->RangeMultiplier(2)
    ->Range(64, 1024)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace echo::network
