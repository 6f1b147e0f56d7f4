#include "overlaps/readers/kineto_profile.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <unordered_map>
#include <utility>

#include "base/at.hpp"
#include "base/error.hpp"
#include "base/memory_limit.hpp"
#include "nsight/kernel_name.hpp"
#include "overlaps/readers/communication_kind.hpp"
#include "overlaps/readers/host_ops.hpp"
#include "trace_io/kineto/kineto_events.hpp"
#include "trace_io/model/kernel_words.hpp"
#include "trace_io/pytorch_et/torch_types.hpp"

namespace echo::overlaps {

namespace {

using trace_io::KinetoEvent;
using trace_io::KinetoWish;
using Category = trace_io::KinetoCategory;

// "[[1024, 96], []]"; empty where no operand has an extent.
std::string shape_text(const std::vector<std::vector<std::int64_t>>& shapes) {
  if (std::all_of(shapes.begin(), shapes.end(), [](const auto& one) { return one.empty(); })) return "";
  std::string out = "[";
  for (const auto& operand : shapes) {
    out += out.size() > 1 ? ", [" : "[";
    for (std::size_t i = 0; i < operand.size(); ++i) out += (i > 0 ? ", " : "") + std::to_string(operand[i]);
    out += ']';
  }
  return out + "]";
}

std::string types_text(const std::vector<std::string>& types) {
  std::string out = "[";
  for (const std::string& type : types) {
    if (out.size() > 1) out += ", ";
    trace_io::append_quoted(out, type);
  }
  return out + "]";
}

// Bytes of the largest operand; -1 where its type or its extents are not known.
std::int64_t largest_of(const trace_io::AtenCall& call) {
  std::int64_t most = -1;
  for (std::size_t i = 0; i < call.shapes.size(); ++i) {
    if (call.shapes[i].empty()) continue;
    const auto type = trace_io::element_type(i < call.types.size() ? call.types[i] : "");
    if (!type) continue;
    std::int64_t bytes = type->bytes;
    bool fits = true;
    for (const std::int64_t extent : call.shapes[i])
      fits = fits && extent >= 0 && !__builtin_mul_overflow(bytes, extent, &bytes);
    if (fits) most = std::max(most, bytes);
  }
  return most;
}

class Reader {
 public:
  explicit Reader(const std::string& path) {
    out_.path = path;
    out_.trace = std::filesystem::path(path).filename().string();
    out_.format = "torch.profiler";
  }

  Profile read() {
    KinetoWish wish;
    for (const Category one : {Category::cpu_op, Category::annotation, Category::runtime, Category::kernel,
                               Category::memcpy, Category::memset})
      wish.categories |= KinetoWish::bit(one);
    wish.launches = true;
    trace_io::KinetoHeader header;
    static_cast<void>(
        trace_io::read_kineto_events(out_.path, wish, header, [&](KinetoEvent& event) { take(event); }));
    if (out_.launches.empty())
      throw UserError({Problem{{out_.path},
                               out_.path + ": it has no kernels: only the host was profiled",
                               "profile with ProfilerActivity.CUDA as well"}});
    name_launches();
    out_.driver_gpu = header.gpu, out_.gpu = without_maker(header.gpu);
    out_.rank = header.rank, out_.world = header.world, out_.epoch = header.epoch;
    out_.sm_count = header.sm_count;
    finish(out_);
    return std::move(out_);
  }

 private:
  void take(KinetoEvent& event) {
    switch (event.category) {
      case Category::cpu_op:
      case Category::annotation:
        return take_op(event);
      case Category::runtime:
        if (event.correlation >= 0)
          static_cast<void>(calls_.try_emplace(event.correlation, event.thread, event.start));
        return;
      default:
        return take_activity(event);
    }
  }

  void take_op(const KinetoEvent& event) {
    const bool is_communication = event.name.starts_with("nccl:");
    if (event.category == Category::annotation && !is_communication) return;
    HostOp op{event.thread, event.start, event.end(), out_.texts.add(event.name)};
    op.is_annotation = event.category == Category::annotation;
    if (const std::string shape = shape_text(event.call.shapes); !shape.empty()) {
      op.shape = out_.texts.add(shape);
      op.types = out_.texts.add(types_text(event.call.types));
    }
    if (is_communication || event.name.starts_with("c10d::")) {
      Collective said;
      said.kind = kind_of_call(event.name);
      said.bytes = largest_of(event.call);
      if (said.bytes >= 0 && !event.call.types.empty()) said.type = event.call.types.front();
      op.collective = length_of(said_);
      said_.push_back(std::move(said));
    }
    ops_.push_back(op);
  }

  void take_activity(const KinetoEvent& event) {
    // Work of two GPUs at one time is no overlap: that of the first one is taken.
    if (device_ == none) device_ = event.device;
    if (event.device != device_) {
      ++out_.of_other_gpus;
      return;
    }
    Activity one;
    one.is_kernel = event.category == Category::kernel;
    one.name = out_.texts.add(event.name);
    one.stream = event.stream, one.start = event.start, one.duration = event.duration;
    if (one.is_kernel) {
      one.communicates = nsight::is_communication(event.name);
      const auto& said = event.launch;
      one.launch = length_of(out_.launches);
      out_.launches.push_back({said.grid, said.block, said.registers, said.shared_memory,
                               said.occupancy_percent, said.blocks_per_sm, said.warps_per_sm});
      if (one.communicates) one.collective = collective_of(event);
      if (event.correlation >= 0) launched_.push_back({event.correlation, length_of(out_.activities)});
    }
    out_.activities.push_back(one);
  }

  // What the kernel itself says.
  std::int32_t collective_of(const KinetoEvent& event) {
    Collective made;
    const trace_io::CommCall& call = event.comm;
    made.kind = call.collective.empty() ? "" : kind_of_call(call.collective);
    made.type = call.type, made.group = call.group, made.group_size = call.group_size;
    const auto type = trace_io::element_type(call.type);
    std::int64_t bytes = std::max(call.in, call.out);
    if (type && bytes >= 0 && !__builtin_mul_overflow(bytes, type->bytes, &bytes)) made.bytes = bytes;
    out_.collectives.push_back(std::move(made));
    return length_of(out_.collectives) - 1;
  }

  void name_launches() {
    std::vector<HostCall> calls;
    for (const auto& [correlation, activity] : launched_)
      if (const auto found = calls_.find(correlation); found != calls_.end())
        calls.push_back({found->second.first, found->second.second, activity});
    const auto around = ops_around(ops_, calls);
    for (std::size_t i = 0; i < calls.size(); ++i)
      name_launch(out_.activities[at(calls[i].number)], around[i]);
    for (Activity& one : out_.activities) {
      if (one.collective < 0) continue;
      std::string& kind = out_.collectives[at(one.collective)].kind;
      if (kind.empty()) kind = kind_of_kernel(out_.texts[one.name]);
    }
  }

  void name_launch(Activity& one, const std::vector<std::int32_t>& around) {
    std::vector<const HostOp*> ops;  // innermost first
    for (const std::int32_t place : around)
      if (one.communicates || !ops_[at(place)].is_annotation) ops.push_back(&ops_[at(place)]);
    if (ops.size() > 1)
      one.op = out_.texts.add(out_.texts[ops[1]->name] + "/" + out_.texts[ops[0]->name]);
    else if (!ops.empty())
      one.op = ops[0]->name;
    const auto shaped = std::find_if(ops.begin(), ops.end(), [](const HostOp* op) { return op->shape != 0; });
    if (shaped != ops.end()) {
      one.shape = (*shaped)->shape, one.types = (*shaped)->types;
      one.is_shape_of_parent = shaped != ops.begin();
    }
    if (one.collective >= 0) complete(out_.collectives[at(one.collective)], ops);
  }

  // What the ops around it say. Among gathers, only the outer call has what comes out.
  void complete(Collective& made, const std::vector<const HostOp*>& ops) const {
    for (const HostOp* op : ops) {
      if (op->collective < 0) continue;
      const Collective& said = said_[at(op->collective)];
      if (made.kind.empty()) made.kind = said.kind;
      const bool is_gather = said.kind == "all_gather";
      if (said.bytes > made.bytes && (made.bytes < 0 || is_gather)) {
        made.bytes = said.bytes;
        if (made.type.empty()) made.type = said.type;
      }
    }
  }

  Profile out_;
  std::vector<HostOp> ops_;
  std::vector<Collective> said_;
  std::unordered_map<std::int64_t, std::pair<std::int64_t, std::int64_t>> calls_;  // thread, start
  std::vector<std::pair<std::int64_t, std::int32_t>> launched_;                    // correlation, activity
  static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::min();
  std::int64_t device_ = none;
};

}  // namespace

Profile read_kineto_profile(const std::string& path) {
  return within_memory(path, [&] { return Reader(path).read(); });
}

}  // namespace echo::overlaps
