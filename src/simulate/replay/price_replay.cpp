// Prices of traced ops.
//
// A kernel that was measured on the config's GPU keeps its measured time. On another GPU, or where it was
// never timed, it is priced by its shape if that is known (profile::price_known), as a kernel of the
// generator would be; the gap between dependent kernels is added only where the trace has no times at all. A
// timed kernel of unknown shape is scaled from GPU to GPU: by the roofline of its flops and bytes where it
// has both, by the peak rate or by the HBM bandwidth where it has one of them, else by the mean (of
// logarithms) of the two, graded extrapolated. A kernel that was never timed takes its roofline time, and no
// time where it has neither shape nor flops nor bytes. Gaps of the host stay as they are. Communication is
// priced on the config's network where its size is known; else it keeps its measured time.
//
// Neglected: clocks and library versions; that an op measured beside others was already slowed there.
#include "simulate/replay/price_replay.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/contract.hpp"
#include "base/named_table.hpp"
#include "kernels/database/price_known.hpp"
#include "kernels/price_kernels.hpp"
#include "network/shared_links.hpp"
#include "simulate/prices/price_host.hpp"
#include "simulate/prices/price_work.hpp"
#include "slowdown/model.hpp"

namespace echo::simulate {

namespace {

using trace::Node;
using trace::NodeKind;

// Bottlenecks of a kernel without a shape: no limit is known to matter more than another.
constexpr ops::KernelPrice shapeless{.sm_share = 1.0,
                                     .memory_share = 0.5,
                                     .compute_bound = 0.5,
                                     .by_arithmetic = 0.5,
                                     .by_memory = 0.5,
                                     .grade = ops::Grade::extrapolated};

struct Roofline {
  double peak = 0.0, bandwidth = 0.0;  // 0: not known

  [[nodiscard]] double seconds(double flops, double bytes) const {
    return std::max(peak > 0.0 ? flops / peak : 0.0, bandwidth > 0.0 ? bytes / bandwidth : 0.0);
  }
};
Roofline roofline_of(const machine::GpuSpec& gpu, machine::Precision precision) {
  double peak = gpu.peak_of(precision).value;
  if (peak <= 0.0) peak = gpu.peak_of(machine::Precision::bf16).value;
  return {peak, gpu.memory_bandwidth.value};
}

class Pricer {
 public:
  Pricer(const training::TrainingConfig& config, const Catalog& catalog, const Calibration& calibration,
         ReplayScratch& s, PriceMemo& memo, Prices& out)
      : config_(config),
        catalog_(catalog),
        known_(calibration),
        s_(s),
        memo_(memo),
        out_(out),
        gpu_(catalog.gpu(config)),
        framework_(catalog.framework(config)),
        growth_(growth_of(s.shape, config.degrees)) {
    const std::int32_t traced = find_named(catalog.gpus, s.trace->gpu);
    traced_ = traced < 0 ? nullptr : &catalog.gpus[at(traced)];
    for (const Node* node : s.nodes) timed_ = timed_ || (node->kind == NodeKind::compute && node->is_timed());
  }

  void run(std::vector<ops::CollectiveQuery>& queries) {
    price_kernels();
    price_asks(queries);
    fill_factors();
    const std::size_t ops = s_.nodes.size();
    s_.alone.resize(ops), s_.work.resize(ops), s_.bottlenecks.resize(ops), s_.grade.resize(ops);
    for (std::size_t op = 0; op < ops; ++op) {
      s_.work[op] = WorkId::none(), s_.bottlenecks[op] = {}, s_.grade[op] = ops::Grade::measured;
      switch (s_.nodes[op]->kind) {
        case NodeKind::compute:
          price_compute(op);
          break;
        case NodeKind::memory:
          price_memory(op);
          break;
        case NodeKind::wait:
          s_.alone[op] = SimTime::zero();
          break;
        case NodeKind::collective:
        case NodeKind::send:
        case NodeKind::recv:
          price_communication(op);
      }
    }
  }

 private:
  void price_kernels() {
    const std::int32_t constants_at = find_named(known_.kernels, gpu_.kernels);
    ECHO_EXPECT(constants_at >= 0);
    const std::int32_t gpu_id =
        (config_.gpu.is_none() ? catalog_.cluster(config_.cluster).gpu : config_.gpu).index();
    const KernelIssue issue(config_, framework_, catalog_.cluster(config_.cluster));
    out_.kernels.clear(), out_.kernel_number.clear(), out_.alone.clear(), out_.bottlenecks.clear();
    for (ops::KernelKey key : s_.trace->kernels) {
      key.library = config_.recipe.kernel_library;
      if (!kernels::is_priceable(key, gpu_)) {
        out_.kernels.push_back(shapeless), out_.kernel_number.push_back(INT32_MAX - gpu_id);
        out_.alone.push_back(SimTime(-1)), out_.bottlenecks.emplace_back();
        continue;
      }
      const auto [entry, is_new] = memo_.kernels.try_emplace({gpu_id, key});
      if (is_new)
        entry->second = {kernels::price_known(key, gpu_, known_.kernels[at(constants_at)], known_.measured),
                         static_cast<std::int32_t>(memo_.kernels.size()) - 1};
      const ops::KernelPrice& price = entry->second.alone;
      out_.kernels.push_back(price), out_.kernel_number.push_back(entry->second.number);
      out_.alone.push_back(timed_ ? price.alone : within_a_step(key, price.alone, issue));
      out_.bottlenecks.push_back(bottlenecks_of(key, price, out_.alone.back(), issue));
    }
    out_.kernels.push_back(shapeless), out_.kernel_number.push_back(INT32_MAX - gpu_id);
  }

  void price_asks(std::vector<ops::CollectiveQuery>& queries) {
    const machine::ClusterSpec& cluster = catalog_.cluster(config_.cluster);
    const TraceRanks ranks(*s_.trace, s_.shape, config_, cluster);
    std::vector<machine::GroupSpan> spans(s_.trace->groups.size() + 1);
    std::vector<std::uint8_t> is_known(spans.size(), 0);
    out_.collectives.clear(), out_.collective_number.clear(), out_.uses.clear();
    queries.clear();
    for (const TraceAsk& ask : s_.asks.asks) {
      ops::CollectiveQuery query{.kind = ask.kind, .payload = ask.payload};
      if (ask.kind == ops::CollectiveKind::send_recv) {
        query.group = ranks.span_of_pair(ask.from, ask.to);
      } else if (!is_of_host(ask.kind)) {
        const std::size_t group = at(ask.group + 1);
        if (is_known[group] == 0) spans[group] = ranks.span(ask.group), is_known[group] = 1;
        query.group = spans[group];
      }
      queries.push_back(query);
      if (is_of_host(ask.kind) && (gpu_.host_link.value <= 0.0 || cluster.host_memory.value <= 0.0)) {
        out_.collectives.emplace_back(), out_.collective_number.push_back(INT32_MAX),
            out_.uses.emplace_back();
        continue;
      }
      const PricedCollective& price = priced_collective(query, config_, catalog_, known_, memo_);
      out_.collectives.push_back(price.alone);
      out_.collective_number.push_back(price.number);
      out_.uses.push_back(price.use);
    }
  }

  void fill_factors() {
    const slowdown::Machine machine{gpu_.sm_count, gpu_.memory_bandwidth.value};
    if (known_.learned.is_empty()) {
      slowdown::fill_table(known_.slowdown, out_.kernels, out_.collectives, machine, out_.slowdown());
    } else {
      out_.slowdown().clear();
      for (std::size_t k = 0; k < out_.kernels.size(); ++k) {
        for (std::size_t c = 0; c < out_.collectives.size(); ++c) {
          const slowdown::Factors& factors = memo_.factors.find(
              out_.kernel_number[k], out_.collective_number[c],
              [&] { return known_.learned.predict(out_.kernels[k], out_.collectives[c], machine); });
          out_.kernel_factor.push_back(factors.kernel), out_.collective_factor.push_back(factors.collective);
        }
      }
    }
    const bool shares = known_.contention != Contention::off;
    network::fill_losses(
        shares ? std::span<const network::LinkDemand>(out_.uses) : std::span<const network::LinkDemand>(),
        out_.uses.size(), out_.scale_up_loss, out_.scale_out_loss);
  }

  void price_compute(std::size_t op) {
    const Node& node = *s_.nodes[op];
    const bool has_shape = node.kernel >= 0 && out_.alone[at(node.kernel)] >= SimTime::zero();
    const std::size_t kernel = has_shape ? at(node.kernel) : out_.kernels.size() - 1;
    s_.work[op] = work_of(KernelId(static_cast<std::int32_t>(kernel)));
    const bool as_traced = node.is_timed() && (traced_ == &gpu_ || (!has_shape && traced_ == nullptr));
    if (as_traced) {
      s_.alone[op] = node.duration;
      s_.grade[op] = traced_ == &gpu_ ? ops::Grade::measured : ops::Grade::extrapolated;
    } else if (has_shape) {
      s_.alone[op] = out_.alone[kernel];
      s_.grade[op] = out_.kernels[kernel].grade;
      s_.bottlenecks[op] = out_.bottlenecks[kernel];
    } else {
      s_.alone[op] = node.is_timed() ? scaled(node.duration, slower_than_traced(node))
                                     : from_seconds(own_roofline(node).seconds(node.flops, bytes_of(node)));
      s_.grade[op] = ops::Grade::extrapolated;
    }
    if (as_traced || !has_shape)
      s_.bottlenecks[op] = guessed_drivers(node, out_.kernels[kernel], s_.alone[op]);
    if (node.pass != trace::Pass::optimizer || !s_.shape.splits_states || growth_ == 1.0) return;
    s_.alone[op] = scaled(s_.alone[op], 1.0 / growth_);
    for (double& ps : s_.bottlenecks[op].ps) ps /= growth_;
  }

  static double bytes_of(const Node& node) { return static_cast<double>(node.bytes.value); }
  [[nodiscard]] Roofline own_roofline(const Node& node) const { return roofline_of(gpu_, node.precision); }

  [[nodiscard]] double slower_than_traced(const Node& node) const {
    const Roofline mine = own_roofline(node), theirs = roofline_of(*traced_, node.precision);
    const double compute = theirs.peak / mine.peak, memory = theirs.bandwidth / mine.bandwidth;
    if (node.flops <= 0.0 && node.bytes.value <= 0) return std::sqrt(compute * memory);
    return mine.seconds(node.flops, bytes_of(node)) / theirs.seconds(node.flops, bytes_of(node));
  }

  // By the model of its shape, else by its roofline, else one half each.
  [[nodiscard]] BottleneckTimes guessed_drivers(const Node& node, const ops::KernelPrice& price,
                                                SimTime alone) const {
    double arithmetic = price.by_arithmetic, memory = price.by_memory;
    const bool has_shape = &price != &out_.kernels.back();
    if (!has_shape && (node.flops > 0.0 || node.bytes.value > 0)) {
      const Roofline mine = own_roofline(node);
      arithmetic = node.flops / mine.peak >= bytes_of(node) / mine.bandwidth ? 1.0 : 0.0;
      memory = 1.0 - arithmetic;
    }
    BottleneckTimes bottlenecks;
    const auto whole = static_cast<double>(alone.count());
    bottlenecks[Bottleneck::arithmetic] = whole * arithmetic;
    bottlenecks[Bottleneck::memory] = whole * memory;
    bottlenecks[Bottleneck::fixed] = whole * (1.0 - arithmetic - memory);
    return bottlenecks;
  }

  void price_memory(std::size_t op) {
    const Node& node = *s_.nodes[op];
    const double bandwidth = gpu_.memory_bandwidth.value;
    if (!node.is_timed()) {
      s_.alone[op] = from_seconds(bytes_of(node) / bandwidth);
    } else {
      s_.alone[op] = traced_ == nullptr ? node.duration
                                        : scaled(node.duration, traced_->memory_bandwidth.value / bandwidth);
    }
    s_.bottlenecks[op][Bottleneck::memory] = static_cast<double>(s_.alone[op].count());
  }

  void price_communication(std::size_t op) {
    const Node& node = *s_.nodes[op];
    const std::int32_t ask = s_.asks.of[op];
    const bool is_priced = ask >= 0 && out_.collective_number[at(ask)] != INT32_MAX;
    if (!is_priced) {
      s_.alone[op] = std::max(node.duration, SimTime::zero());
      s_.bottlenecks[op][Bottleneck::fixed] = static_cast<double>(s_.alone[op].count());
      return;
    }
    const ops::CollectiveEstimate& price = out_.collectives[at(ask)];
    s_.work[op] = work_of(CollectiveId(ask), length_of(out_.kernels));
    s_.alone[op] = s_.asks.share[op] == 1.0 ? price.time : scaled(price.time, s_.asks.share[op]);
    s_.bottlenecks[op].add(simulate::bottlenecks_of(price), s_.asks.share[op]);
  }

  const training::TrainingConfig& config_;
  const Catalog& catalog_;
  const Calibration& known_;
  ReplayScratch& s_;
  PriceMemo& memo_;
  Prices& out_;
  const machine::GpuSpec& gpu_;
  const machine::GpuSpec* traced_ = nullptr;  // of the catalog; null: not known
  const training::FrameworkSpec& framework_;
  const double growth_;
  bool timed_ = false;  // some kernel of the trace
};

}  // namespace

void price_trace(const training::TrainingConfig& config, const Catalog& catalog,
                 const Calibration& calibration, ReplayScratch& s, PriceMemo& memo, Prices& out,
                 std::vector<ops::CollectiveQuery>& queries) {
  Pricer(config, catalog, calibration, s, memo, out).run(queries);
}

}  // namespace echo::simulate
