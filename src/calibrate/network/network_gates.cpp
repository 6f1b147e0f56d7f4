// Three questions, each answered on rows that the fit has not seen.
//   more ranks    Echo's A100 cluster fitted on up to 16 ranks, predicted for 32 (in- and out-of-place within
//                 25 %)
//   more GPUs     one node fitted on 2 and 4 GPUs from the defaults in the source, predicted for 8
//   other places  a kind of GPU fitted without one cluster, predicted for that cluster at its NIC rate
// The first is compared with two baselines on the same rows: NCCL's own estimate of its choice, and a ring
// of two numbers, latency per step and bus bandwidth, fitted to the 16-rank rows.
#include "calibrate/network/network_gates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "base/at.hpp"
#include "base/contract.hpp"
#include "calibrate/network/network_fit.hpp"

namespace echo::calibrate {
namespace {

using collective::NetworkConstants;
using ops::CollectiveKind;
using Rows = std::vector<NetworkMeasurement>;

constexpr std::int64_t megabyte = 1'000'000, large = 64 * megabyte;

struct Check {
  std::string folder;
  bool shows_families = false, all_hold = true;
};

const NetworkKind& kind_named(std::string_view name) {
  const auto kinds = network_kinds();
  const auto found =
      std::find_if(kinds.begin(), kinds.end(), [&](const NetworkKind& k) { return k.name == name; });
  ECHO_EXPECT(found != kinds.end());
  return *found;
}

Rows keep(const Rows& rows, const std::function<bool(const NetworkMeasurement&)>& wanted) {
  Rows out;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(out), wanted);
  return out;
}

bool is_steady(const NetworkMeasurement& m) {
  return m.seconds_in_place <= 0.0 || std::abs(m.seconds_in_place / m.seconds - 1.0) <= 0.25;
}

double estimate(const NetworkMeasurement& m, const NetworkConstants& k) {
  return to_seconds(collective::price(m.query, m.links, {}, m.nccl_version, k).time);
}

using Predict = std::function<double(const NetworkMeasurement&)>;

struct Mean {
  double ape = 0.0, bias = 0.0;
  std::size_t rows = 0;
};

Mean mean_of(const Rows& rows, const Predict& predict) {
  Mean out;
  for (const NetworkMeasurement& m : rows) {
    const double ratio = predict(m) / m.seconds;
    out.ape += std::abs(ratio - 1.0), out.bias += ratio - 1.0, ++out.rows;
  }
  if (out.rows > 0) out.ape /= static_cast<double>(out.rows), out.bias /= static_cast<double>(out.rows);
  return out;
}

void print_line(const std::string& what, const Mean& m, const std::string& verdict) {
  fmt::print("{:<58} {:>5} {:>7.2f} {:>+7.2f}   {}\n", what, m.rows, 100 * m.ape, 100 * m.bias, verdict);
}

void gate(Check& check, const std::string& what, double limit, const Mean& m) {
  const bool holds = m.rows > 0 && 100 * m.ape <= limit;
  check.all_hold = check.all_hold && holds;
  print_line(what, m, fmt::format("{} (limit {})", holds ? "holds" : "FAILS", limit));
}

void print_rows(const Check& check, const Rows& rows, const NetworkConstants& k) {
  if (!check.shows_families) return;
  for (const NetworkMeasurement& m : rows) {
    const auto e = collective::price(m.query, m.links, {}, m.nccl_version, k);
    const auto& q = m.query;
    fmt::print("    {:<15} {}x{} v{} {:>12} {:>10.1f} us {:>6.3f} {} {} {}\n",
               ops::collective_kind_names[at(q.kind)], q.group.nodes, q.group.ranks_per_node, m.nccl_version,
               q.payload.value, m.seconds * 1e6, to_seconds(e.time) / m.seconds,
               collective::name_of_algorithm(e), ops::protocol_names[at(e.protocol)], e.channels);
  }
}

// The constants of `kind` as the fit of the catalog finds them without the rows of `file`.
NetworkConstants constants_without(const Check& check, const NetworkKind& kind, std::string_view file) {
  NetworkKind part = kind;
  std::erase_if(part.sources, [&](const NetworkSource& s) { return s.file == file; });
  const NetworkConstants start =
      *kind.prior != 0 ? constants_without(check, kind_named(kind.prior), file) : NetworkConstants{};
  return collective::fit_constants(rows_to_fit(read_network(part, check.folder)), start, part.guess)
      .constants;
}

double nccl_own(const NetworkMeasurement& m) {
  const auto chosen = collective::price(m.query, m.links, {}, m.nccl_version, {});
  return 1e-6 * collective::algorithm_of(chosen).nccl_time(
                    {m.query.kind, m.query.payload.value},
                    collective::set_up(m.query.group, m.links, {}, m.nccl_version), chosen.protocol);
}

double ring_of(const NetworkMeasurement& m, double latency, double bandwidth) {
  const double steps = 2.0 * (m.query.group.ranks - 1);
  return steps * latency +
         steps / m.query.group.ranks * static_cast<double>(m.query.payload.value) / bandwidth;
}

// The least sum of |log ratio| over two numbers, on a fine grid of both.
Predict fitted_ring(const Rows& rows) {
  double best = 1e300, latency = 0.0, bandwidth = 0.0;
  for (double l = 0.1e-6; l < 100e-6; l *= 1.02) {
    for (double b = 1e9; b < 1e12; b *= 1.02) {
      double sum = 0.0;
      for (const NetworkMeasurement& m : rows) sum += std::abs(std::log(ring_of(m, l, b) / m.seconds));
      if (sum < best) best = sum, latency = l, bandwidth = b;
    }
  }
  return [=](const NetworkMeasurement& m) { return ring_of(m, latency, bandwidth); };
}

void check_more_ranks(Check& check) {
  const NetworkKind& kind = kind_named("azure-nd-a100-v4");
  const Rows rows = keep(read_network(kind, check.folder), is_steady);
  const Rows seen = keep(rows, [](const auto& m) { return m.query.group.ranks <= 16; });
  const Rows unseen = keep(rows, [](const auto& m) { return m.query.group.ranks == 32; });
  const Rows unseen_large = keep(unseen, [](const auto& m) { return m.query.payload.value >= megabyte; });
  const NetworkConstants start = constants_without(check, kind_named(kind.prior), "");
  const NetworkConstants k =
      collective::fit_constants(rows_to_fit(seen), start, collective::Guess::same_gpu).constants;
  const Predict ours = [&](const auto& m) { return estimate(m, k); };
  gate(check, "Echo's A100 cluster, <= 16 ranks -> 32, >= 1 MB", 6.5, mean_of(unseen_large, ours));
  gate(check, "Echo's A100 cluster, <= 16 ranks -> 32, all sizes", 8.0, mean_of(unseen, ours));
  print_line("  fitted rows, >= 1 MB",
             mean_of(keep(seen, [](const auto& m) { return m.query.payload.value >= megabyte; }), ours), "");
  print_line("  fitted rows, all", mean_of(seen, ours), "");
  const Rows two_nodes = keep(seen, [](const auto& m) { return m.query.group.nodes == 2; });
  if (check.shows_families)
    for (const auto& f : collective::network_constant_fields())
      fmt::print("    {} {:.4g} from {:.4g}\n", f.name, k.*f.member, start.*f.member);
  print_line("  baseline: NCCL's own estimate, >= 1 MB", mean_of(unseen_large, nccl_own), "");
  print_line(
      "  baseline: ring of two fitted numbers, >= 1 MB",
      mean_of(unseen_large,
              fitted_ring(keep(two_nodes, [](const auto& m) { return m.query.payload.value >= megabyte; }))),
      "");
  print_rows(check, rows, k);
}

// --- more GPUs
// --------------------------------------------------------------------------------------------------

void check_more_gpus(Check& check, const std::string& title, std::string_view kind_name,
                     std::string_view gpu) {
  NetworkKind kind = kind_named(kind_name);
  std::erase_if(kind.sources, [&](const NetworkSource& s) {
    const std::string_view named = s.gpu;
    return s.least_nodes > 1 || s.file == std::string_view("echo_azure_ndA100v4.csv") ||
           (!gpu.empty() && !named.starts_with(gpu) && !(gpu == "H100" && named.empty()));
  });
  const Rows rows = read_network(kind, check.folder);
  const Rows seen = keep(rows, [](const auto& m) { return m.query.group.ranks <= 4; });
  const auto unseen = [&](bool reduces) {
    return keep(rows, [=](const auto& m) {
      return m.query.group.ranks == 8 && m.query.payload.value >= megabyte &&
             (m.query.kind == CollectiveKind::all_reduce) == reduces &&
             m.query.kind != CollectiveKind::broadcast && m.query.kind != CollectiveKind::reduce;
    });
  };
  const NetworkConstants k = collective::fit_constants(rows_to_fit(seen), {}).constants;
  const Predict ours = [&](const auto& m) { return estimate(m, k); };
  gate(check, title + ", 2 and 4 GPUs -> 8: gathers, scatters, alltoall", 8.0, mean_of(unseen(false), ours));
  gate(check, title + ", 2 and 4 GPUs -> 8: all-reduce", 12.0, mean_of(unseen(true), ours));
  print_line("  fitted rows", mean_of(seen, ours), "");
  for (const auto collective :
       {CollectiveKind::all_gather, CollectiveKind::reduce_scatter, CollectiveKind::all_to_all})
    print_line("  " + std::string(ops::collective_kind_names[at(collective)]),
               mean_of(keep(unseen(false), [&](const auto& m) { return m.query.kind == collective; }), ours),
               "");
  print_rows(check, seen, k);
  print_rows(check, unseen(false), k);
  print_rows(check, unseen(true), k);
}

struct Place {
  const char *title, *kind;  // whose constants, `source.file` aside
  NetworkSource source;
  machine::CpuVendor cpu;
  bool counts = true;    // towards the gate: no defect is known
  double reached = 0.0;  // share of its NICs' rate that the fabric gives where that is known to be little
};

void check_other_places(Check& check) {
  using machine::CpuVendor;
  const std::vector<Place> places{
      {"A100, OCI RoCE",
       "default-a100",
       {"oci_a100_2node_oke.csv", "", "", 2, 2, large, 21805, 25.0, 8, Use::fit},
       CpuVendor::amd},
      {"A100, RoCE alltoall",
       "default-a100",
       {"a100_roce_alltoall_2node.csv", "", "", 2, 2, large, 21805, 25.0, 8, Use::fit},
       CpuVendor::amd},
      {"A100, AWS EFA 4x100",
       "default-a100",
       {"aws_p4de_2node.csv", "", "", 2, 2, large, 21805, 12.5, 4, Use::fit},
       CpuVendor::intel},
      {"A100, Azure (Echo), a fabric that gives 66 %",
       "default-a100",
       {"echo_azure_ndA100v4.csv", "", "", 2, 4, large, 21805, 25.0, 8, Use::fit},
       CpuVendor::amd,
       true,
       0.66},
      {"A100, Azure (Echo), were its fabric healthy",
       "default-a100",
       {"echo_azure_ndA100v4.csv", "", "", 2, 4, large, 21805, 25.0, 8, Use::fit},
       CpuVendor::amd,
       false},
      {"H100, Nebius",
       "default-h100",
       {"dstack_nebius_h100_2node.csv", "", "", 2, 2, large, 22304, 50.0, 8, Use::fit},
       CpuVendor::intel},
      {"H100, issue 309, two nodes",
       "default-h100",
       {"issue_nccltests309_h100.csv", "", "", 2, 2, large, 22602, 50.0, 8, Use::fit},
       CpuVendor::intel},
      {"H100, issue 309, VMs on four nodes",
       "default-h100",
       {"issue_nccltests309_h100.csv", "", "", 4, 4, large, 22602, 50.0, 8, Use::fit},
       CpuVendor::intel},
      {"H100, issue 309, eight nodes of the slow fabric",
       "default-h100",
       {"issue_nccltests309_h100.csv", "", "", 8, 8, large, 22602, 50.0, 8, Use::fit},
       CpuVendor::intel,
       false},
      {"H100, AWS EFA 32x100",
       "default-h100",
       {"aws_p5_2node.csv", "", "", 2, 2, large, 21805, 50.0, 8, Use::fit, "!excerpt"},
       CpuVendor::amd},
      {"H100, AWS EFA 32x100, an untuned excerpt",
       "default-h100",
       {"aws_p5_2node.csv", "", "", 2, 2, large, 21805, 50.0, 8, Use::fit, "excerpt"},
       CpuVendor::amd,
       false},
      {"H100, AWS EFA 32x100 (EKS)",
       "default-h100",
       {"aws_do_eks_p5_2node.csv", "", "", 2, 2, large, 21805, 50.0, 8, Use::fit},
       CpuVendor::amd},
      {"H100, A3 Mega 8x200, all-reduce",
       "default-h100",
       {"gcp_a3mega_lessizzmore.csv", "", "", 2, 2, large, 22105, 25.0, 8, Use::fit},
       CpuVendor::intel},
      {"H100, A3 Mega 8x200, all-gather",
       "default-h100",
       {"gcp_a3mega_cluster_toolkit.csv", "", "", 2, 2, large, 22105, 25.0, 8, Use::fit},
       CpuVendor::intel},
      {"H100, A3 High 4x200",
       "default-h100",
       {"gcp_a3high_cluster_toolkit.csv", "", "", 2, 2, large, 22105, 25.0, 4, Use::fit},
       CpuVendor::intel},
      {"H100, AWS EFA 32x100, by the other log of EFA",
       "aws-efa-h100",
       {"aws_p5_2node.csv", "", "", 2, 2, large, 21805, 50.0, 8, Use::fit, "!excerpt"},
       CpuVendor::amd,
       false},
      {"H100, AWS EFA 32x100 (EKS), by the other log of EFA",
       "aws-efa-h100",
       {"aws_do_eks_p5_2node.csv", "", "", 2, 2, large, 21805, 50.0, 8, Use::fit},
       CpuVendor::amd,
       false},
      {"H100, A3 Mega all-reduce, by the log of all-gather",
       "gcp-a3mega",
       {"gcp_a3mega_lessizzmore.csv", "", "", 2, 2, large, 22105, 25.0, 8, Use::fit},
       CpuVendor::intel,
       false},
      {"GH200, Slingshot 4x200",
       "default-h100",
       {"cscs_alps_gh200_2node.csv", "", "", 2, 2, large, 22105, 25.0, 4, Use::fit, "!misconf"},
       CpuVendor::arm,
       false},
  };
  Mean all;
  for (const Place& place : places) {
    NetworkKind kind = kind_named(place.kind);
    NetworkConstants k = constants_without(check, kind, place.source.file);
    if (place.reached > 0.0) k.network_rate = place.reached;
    kind.sources = {place.source};
    kind.cpu = place.cpu;
    const Rows rows = read_network(kind, check.folder);
    const Mean mean = mean_of(rows, [&](const auto& m) { return estimate(m, k); });
    print_line("  " + std::string(place.title), mean, place.counts ? "" : "(not in the gate)");
    print_rows(check, rows, k);
    if (!place.counts) continue;
    all.ape += mean.ape * static_cast<double>(mean.rows),
        all.bias += mean.bias * static_cast<double>(mean.rows);
    all.rows += mean.rows;
  }
  all.ape /= static_cast<double>(all.rows), all.bias /= static_cast<double>(all.rows);
  gate(check, "Other clusters of a kind, uncalibrated, >= 64 MB", 10.0, all);
}

}  // namespace

int check_networks(const char* folder, bool shows_families) {
  Check check{folder, shows_families, true};
  fmt::print("{:<58} {:>5} {:>7} {:>7}\n", "errors of rows that the constants have not seen", "rows", "mean%",
             "bias%");
  check_more_ranks(check);
  check_more_gpus(check, "A100", "default-a100", "");
  check_more_gpus(check, "H100", "default-h100", "H100");
  check_more_gpus(check, "H200", "default-h100", "H200");
  check_more_gpus(check, "B200", "default-b200", "");
  check_other_places(check);
  return check.all_hold ? 0 : 1;
}

}  // namespace echo::calibrate
