#include "trace_io/kineto/kineto_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/at.hpp"
#include "nsight/kernel_name.hpp"
#include "trace_io/kineto/kineto_ops.hpp"
#include "trace_io/model/last_issued.hpp"
#include "trace_io/pytorch_et/torch_types.hpp"

namespace echo::trace_io {

namespace {

using trace::Node;
using trace::NodeKind;
using Issued = StreamOrder::Issued;

constexpr std::int64_t clock_error =
    2000;  // ns, between the host's clock and the GPU's as Kineto aligns them

constexpr std::int64_t most_bytes = std::int64_t{1} << 50;

SimTime from_nanoseconds(std::int64_t ns) { return SimTime(ns * 1000); }

// The issued work, in order: events of the GPU by their launch, and calls that launch nothing.
struct Item {
  std::int64_t issue = 0, start = 0;  // ns
  std::int32_t event = -1, call = -1;
};

class Builder {
 public:
  Builder(KinetoStep& step, TraceTables& tables, CommGroups& groups, GraphDoubts& doubts)
      : step_(step), tables_(tables), groups_(groups), doubts_(doubts), sites_(call_sites(step)) {}

  trace::RankTrace build(std::int32_t rank) {
    out_.rank = rank;
    out_.stands_for = {rank};
    for (const CommCall& comm : step_.comms) groups_.hear(comm);
    index();
    longest_launch_ = longest_launch();
    for (const auto& [correlation, one] : step_.synchronisations)
      is_recorded_ = is_recorded_ || one.waits_for_stream >= 0;
    last_issue_ = step_.start;
    for (const Item& item : items()) {
      if (item.event >= 0)
        run(item);
      else
        call(item);
    }
    return std::move(out_);
  }

 private:
  const HostCall& call_at(std::int32_t i) const { return step_.calls[at(i)]; }
  const std::string& name_at(std::int32_t i) const { return step_.names[at(i)]; }

  void index() {
    for (std::size_t i = 0; i < step_.calls.size(); ++i) {
      const HostCall& call = step_.calls[i];
      if (call.kind == HostCall::Kind::launch) launching_threads_.insert(call.thread);
      if (call.correlation >= 0) calls_.emplace(call.correlation, static_cast<std::int32_t>(i));
    }
    for (std::size_t i = 0; i < step_.ops.size(); ++i)
      if (const HostOp& op = step_.ops[i]; op.external_id >= 0 && !op.is_annotation)
        ops_.emplace(op.external_id, static_cast<std::int32_t>(i));
  }

  // The maximum duration, ns, of a launch that waits for nothing.
  std::int64_t longest_launch() const {
    constexpr std::int64_t least = 100'000, times_median = 10;
    std::vector<std::int64_t> durations;
    for (const HostCall& call : step_.calls)
      if (is_launch(call)) durations.push_back(call.end - call.start);
    if (durations.empty()) return least;
    const auto middle = durations.begin() + static_cast<std::ptrdiff_t>(durations.size() / 2);
    std::nth_element(durations.begin(), middle, durations.end());
    return std::max(least, *middle * times_median);
  }
  [[nodiscard]] bool is_launch(const HostCall& call) const {
    return call.kind == HostCall::Kind::launch && name_at(call.name).find("Memcpy") == std::string::npos;
  }
  // The time from which the host's time counts again: at once, except for a launch that waited for room in
  // the queue. Then a thousand launches are before it, so its own work runs long after.
  [[nodiscard]] std::int64_t issued_at(const Item& item, const GpuEvent& event) {
    if (item.call < 0 || !is_launch(call_at(item.call))) return item.issue;
    const HostCall& call = call_at(item.call);
    const std::int64_t taken = call.end - call.start;
    constexpr std::int64_t far_behind = 20;
    if (taken <= longest_launch_ || event.start - call.end < far_behind * taken) return item.issue;
    ++doubts_.blocked;
    return call.end;
  }

  std::vector<Item> items() const {
    std::vector<Item> out;
    for (std::size_t i = 0; i < step_.events.size(); ++i) {
      const GpuEvent& event = step_.events[i];
      Item item{event.start, event.start, static_cast<std::int32_t>(i)};
      if (const auto found = calls_.find(event.correlation); found != calls_.end()) {
        item.call = found->second;
        item.issue = call_at(item.call).start;
      }
      out.push_back(item);
    }
    for (std::size_t i = 0; i < step_.calls.size(); ++i) {
      const HostCall& call = step_.calls[i];
      const bool waits = call.kind == HostCall::Kind::wait_event || call.kind == HostCall::Kind::synchronise;
      if (waits && launching_threads_.contains(call.thread))
        out.push_back({call.start, call.start, -1, static_cast<std::int32_t>(i)});
    }
    std::sort(out.begin(), out.end(), [](const Item& a, const Item& b) {
      return std::tuple(a.issue, a.start, a.event) < std::tuple(b.issue, b.start, b.event);
    });
    return out;
  }

  // --- what the GPU ran ------------------------------------------------------------------------------------
  void run(const Item& item) {
    const GpuEvent& event = step_.events[at(item.event)];
    CallSite site = item.call >= 0 ? sites_[at(item.call)] : CallSite{};
    if (const auto found = ops_.find(event.external_id); found != ops_.end()) site.op = found->second;
    const bool talks =
        event.category == KinetoCategory::kernel && nsight::is_communication(name_at(event.name));
    Node node{.pass = site.pass};
    node.stream = static_cast<std::int32_t>(std::clamp<std::int64_t>(event.stream, 0, INT32_MAX));
    node.duration = from_nanoseconds(event.duration);
    node.name =
        tables_.name(event.category == KinetoCategory::kernel ? nsight::short_name_of(name_at(event.name))
                                                              : name_at(event.name));
    if (talks)
      communicate(node, event, site);
    else if (event.category == KinetoCategory::memcpy)
      copy(node, event);
    else if (event.category == KinetoCategory::memset)
      node.bytes = Bytes(std::min(event.bytes, most_bytes));
    if (node.kind == NodeKind::compute && !talks && compute(node, event, site)) return;
    std::vector<std::int32_t> needs = waits_of(node, item, event, talks);
    append(node, std::move(needs), item.issue);
    order_.add(event.stream, {static_cast<std::int32_t>(out_.nodes.size()) - 1, item.issue, event.end()});
    last_issue_ = issued_at(item, event);
    if (node.kind == NodeKind::collective && item.call >= 0 && is_blocking(event)) wait_for_copy(item, event);
  }

  // Copies to memory that is not pinned: the call returns when they are done.
  [[nodiscard]] bool is_blocking(const GpuEvent& event) const {
    const std::string& name = name_at(event.name);
    return name.find("DtoH") != name.npos && name.find("Pageable") != name.npos;
  }
  void wait_for_copy(const Item& item, const GpuEvent& event) {
    const HostCall& call = call_at(item.call);
    if (call.end + clock_error < event.end()) return;
    Node node{.kind = NodeKind::wait, .name = tables_.name(name_at(call.name)), .stream = -1};
    node.pass = out_.nodes.back().pass;
    append(node, {static_cast<std::int32_t>(out_.nodes.size()) - 1}, item.issue);
    last_issue_ = call.end;
  }

  // "Memcpy HtoD (Pageable -> Device)"
  void copy(Node& node, const GpuEvent& event) const {
    const std::string& name = name_at(event.name);
    const bool is_host = name.find("HtoD") != name.npos || name.find("DtoH") != name.npos ||
                         name.find("HostToDevice") != name.npos || name.find("DeviceToHost") != name.npos;
    node.bytes = Bytes(std::min(event.bytes, most_bytes));
    if (!is_host) return void(node.bytes += node.bytes);  // read and written
    node.kind = NodeKind::collective;
    node.collective = ops::CollectiveKind::host_copy;
  }

  // Its kernel, where the op around it is one. True: it is part of the node before, of the same op.
  bool compute(Node& node, const GpuEvent& event, const CallSite& site) {
    if (site.op < 0) return false;
    const HostOp& op = step_.ops[at(site.op)];
    const auto& key = site.pass == trace::Pass::backward ? op.backward : op.forward;
    if (!key) return false;
    if (const auto found = keyed_.find(site.op); found != keyed_.end()) {
      const std::int32_t before = found->second;
      const bool is_next = order_.last(event.stream, INT64_MAX).node == before && pending_.empty();
      if (!is_next) return false;
      out_.nodes[at(before)].duration += node.duration;
      return true;
    }
    keyed_[site.op] = static_cast<std::int32_t>(out_.nodes.size());
    node.kernel = tables_.kernel(as_run(*key, name_at(event.name)));
    node.bytes = Bytes(0);
    if (op.backward != op.forward) ++doubts_.without_strides;
    return false;
  }

  // fp32 operands may be multiplied as tf32, which only the kernel's name tells.
  static ops::KernelKey as_run(ops::KernelKey key, const std::string& name) {
    const bool is_product = key.kind == ops::KernelKind::gemm && key.precision == machine::Precision::fp32;
    if (is_product && name.find("tf32") != name.npos) key.precision = machine::Precision::tf32;
    return key;
  }

  void communicate(Node& node, const GpuEvent& event, const CallSite& site) {
    const auto said = [&](std::int32_t comm) {
      return comm >= 0 && !step_.comms[at(comm)].collective.empty();
    };
    std::int32_t comm = event.comm;
    if (!said(comm) && site.op >= 0) comm = step_.ops[at(site.op)].comm;
    if (!said(comm)) comm = site.comm;
    const CommCall call = said(comm) ? step_.comms[at(comm)] : CommCall{};
    auto kind = comm_kind(call.collective);
    if ((!kind || kind->role == CommRole::none) && site.note >= 0)
      kind = comm_kind(name_at(step_.ops[at(site.note)].name));
    if (!kind || kind->role == CommRole::none) {
      const auto collective = nsight::collective_of(name_at(event.name));
      if (!collective || *collective == ops::CollectiveKind::send_recv) return void(++doubts_.unpaired);
      kind = CommKind{CommRole::collective, *collective};
    }
    const bool is_hop = kind->role != CommRole::collective;
    if (is_hop && (call.peer < 0 || call.peer >= groups_.world())) return void(++doubts_.unpaired);
    node.kind = !is_hop                        ? NodeKind::collective
                : kind->role == CommRole::send ? NodeKind::send
                                               : NodeKind::recv;
    node.collective = kind->kind;
    node.group = groups_.group_of(call);
    node.bytes = payload_of(call, *kind);
    if (is_hop) node.peer = call.peer;
    if (const auto type = element_type(call.type); type && type->precision) node.precision = *type->precision;
    if (node.bytes.value == 0 || (node.group < 0 && !is_hop)) ++doubts_.unsized;
  }

  // --- who waits for whom ----------------------------------------------------------------------------------
  [[nodiscard]] bool is_recorded() const { return is_recorded_; }

  std::vector<std::int32_t> waits_of(const Node&, const Item& item, const GpuEvent& event, bool talks) {
    std::vector<std::int32_t> needs;
    if (const auto found = pending_.find(event.stream); found != pending_.end()) {
      needs = std::move(found->second);
      pending_.erase(found);
    }
    if (is_recorded()) return needs;
    const auto thread = item.call >= 0 ? call_at(item.call).thread : 0;
    std::int32_t& waits = guessed_waits_[thread];
    if (talks) {
      if (last_work_.node >= 0 && last_work_.stream != event.stream) needs.push_back(last_work_.node);
    } else {
      guess(needs, item, event, waits);
      last_work_ = {static_cast<std::int32_t>(out_.nodes.size()), event.stream};
    }
    waits = 0;
    return needs;
  }

  void guess(std::vector<std::int32_t>& needs, const Item& item, const GpuEvent& event, std::int32_t waits) {
    if (waits == 0) return;
    std::vector<Issued> others;
    for (const auto& [stream, one] : order_.last_of_all(item.issue))
      if (stream != event.stream && one.end <= event.start + clock_error) others.push_back(one);
    std::sort(others.begin(), others.end(), [](const Issued& a, const Issued& b) { return a.end > b.end; });
    if (others.size() > static_cast<std::size_t>(waits)) others.resize(at(waits));
    for (const Issued& one : others)
      if (std::int32_t& latest = waited_for_[{event.stream, out_.nodes[at(one.node)].stream}];
          latest <= one.node) {
        needs.push_back(one.node);
        latest = one.node + 1;
        ++doubts_.synchronised_by_guess;
      }
  }

  void call(const Item& item) {
    const HostCall& call = call_at(item.call);
    const auto found = step_.synchronisations.find(call.correlation);
    const Synchronisation* sync = found == step_.synchronisations.end() ? nullptr : &found->second;
    if (call.kind == HostCall::Kind::wait_event) {
      ++guessed_waits_[call.thread];
      if (sync != nullptr)
        if (const std::int32_t node = recorded(*sync, call); node >= 0)
          pending_[sync->stream].push_back(node);
      return;
    }
    std::vector<std::int32_t> needs = sync != nullptr ? waited(*sync, call) : waited_by_guess(call);
    if (needs.empty()) return;
    Node node{.kind = NodeKind::wait, .name = tables_.name(name_at(call.name)), .stream = -1};
    node.pass = sites_[at(item.call)].pass;
    append(node, std::move(needs), call.start);
    last_issue_ = call.end;
  }

  // The op after which the event was recorded.
  [[nodiscard]] std::int32_t recorded(const Synchronisation& sync, const HostCall& call) const {
    if (sync.waits_for_stream < 0) return -1;
    std::int64_t before = call.start;
    if (const auto found = calls_.find(sync.waits_for_record); found != calls_.end())
      before = std::min(before, call_at(found->second).start);
    return order_.last(sync.waits_for_stream, before).node;
  }

  [[nodiscard]] std::vector<std::int32_t> waited(const Synchronisation& sync, const HostCall& call) const {
    std::vector<std::int32_t> needs;
    if (sync.waits_for_stream >= 0) {
      if (const std::int32_t node = recorded(sync, call); node >= 0) needs.push_back(node);
    } else if (sync.stream >= 0) {
      if (const Issued one = order_.last(sync.stream, call.start); one.node >= 0) needs.push_back(one.node);
    } else {
      return waited_by_guess(call);
    }
    return needs;
  }

  // The last op of each stream, where it was done when the host went on.
  [[nodiscard]] std::vector<std::int32_t> waited_by_guess(const HostCall& call) const {
    std::vector<std::int32_t> needs;
    for (const auto& [stream, one] : order_.last_of_all(call.start))
      if (one.end <= call.end + clock_error) needs.push_back(one.node);
    return needs;
  }

  void append(Node node, std::vector<std::int32_t> needs, std::int64_t issue) {
    node.id = static_cast<std::int64_t>(out_.nodes.size());
    if (last_issue_ >= 0 && issue > last_issue_) node.gap = from_nanoseconds(issue - last_issue_);
    std::sort(needs.begin(), needs.end());
    needs.erase(std::unique(needs.begin(), needs.end()), needs.end());
    for (const std::int32_t one : needs) out_.needs.push(one);
    out_.needs.close_row();
    out_.follows.close_row();
    out_.nodes.push_back(node);
  }

  KinetoStep& step_;
  TraceTables& tables_;
  CommGroups& groups_;
  GraphDoubts& doubts_;
  std::vector<CallSite> sites_;  // [call]
  std::set<std::int64_t> launching_threads_;
  std::unordered_map<std::int64_t, std::int32_t> calls_;  // by correlation
  std::unordered_map<std::int64_t, std::int32_t> ops_;    // by external id
  std::unordered_map<std::int32_t, std::int32_t> keyed_;  // node of an op that is a kernel
  StreamOrder order_;
  bool is_recorded_ = false;  // which stream waited for which
  struct {
    std::int32_t node = -1;
    std::int64_t stream = -1;
  } last_work_;                                                // the last that does not communicate
  std::map<std::int64_t, std::vector<std::int32_t>> pending_;  // by stream: needs of its next op
  std::map<std::int64_t, std::int32_t> guessed_waits_;         // by thread, since its last launch
  std::map<std::pair<std::int64_t, std::int64_t>, std::int32_t> waited_for_;  // up to which node
  std::int64_t longest_launch_ = 0;                                           // ns
  std::int64_t last_issue_ = -1;  // ns; of a wait, when it was over
  trace::RankTrace out_;
};

}  // namespace

void add_notes(const GraphDoubts& doubts, trace::Trace& trace) {
  const auto note = [&](std::int64_t count, std::string_view what) {
    if (count > 0) trace.notes.push_back(fmt::format("{} {}", count, what));
  };
  note(doubts.unsized, "collectives have no size or members, and keep their measured times");
  note(doubts.unpaired, "communication kernels are of unknown kind, and keep their measured times");
  note(doubts.synchronised_by_guess,
       "waits between streams are inferred from order and times (torch.profiler: enable_cuda_sync_events)");
  note(doubts.blocked, "launches waited for room in the GPU's queue, which is not counted as host time");
  note(doubts.without_strides, "products had no strides recorded: forward they count as tn, backward as nn");
}

trace::RankTrace rank_of_step(KinetoStep& step, std::int32_t rank, TraceTables& tables, CommGroups& groups,
                              GraphDoubts& doubts) {
  return Builder(step, tables, groups, doubts).build(rank);
}

}  // namespace echo::trace_io
