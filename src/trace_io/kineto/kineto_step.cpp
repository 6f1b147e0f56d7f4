#include "trace_io/kineto/kineto_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "base/error.hpp"

namespace echo::trace_io {

namespace {

using Category = KinetoCategory;

struct Mark {
  std::int64_t number = 0, start = 0, end = 0;
};

constexpr std::uint32_t gpu_categories =
    KinetoWish::bit(Category::kernel) | KinetoWish::bit(Category::memcpy) | KinetoWish::bit(Category::memset);

class Reader {
 public:
  Reader(const std::string& path, const OpNotes& notes) : path_(path), notes_(notes) {}

  KinetoStep read(std::int32_t step) {
    const std::vector<Mark> marks = find_marks();
    if (events_ == 0)
      refuse("it has no kernels: only the host was profiled",
             "profile with ProfilerActivity.CUDA as well, or pass an execution trace");
    if (marks.empty()) {
      if (step >= 0) refuse("it marks no steps", "omit the step, or call the profiler's step()");
      take(Mark{-1, INT64_MIN, INT64_MAX});
      return std::move(out_);
    }
    for (const Mark& mark : candidates(marks, step)) {
      take(mark);
      if (!out_.events.empty()) return std::move(out_);
    }
    refuse("the GPU is idle in the step", "choose another step");
  }

 private:
  [[noreturn]] void refuse(const std::string& what, const std::string& remedy) const {
    throw UserError({Problem{{path_}, path_ + ": " + what, remedy}});
  }

  std::vector<Mark> find_marks() {
    std::map<std::int64_t, Mark> found;
    KinetoWish wish{KinetoWish::bit(Category::annotation) | KinetoWish::bit(Category::cpu_op)};
    wish.name_prefix = "ProfilerStep#";
    const std::function<void(KinetoEvent&)> mark = [&](KinetoEvent& event) {
      constexpr std::size_t prefix = 13;
      std::int64_t number = -1;
      const std::string_view digits = std::string_view(event.name).substr(prefix);
      const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
      if (code == std::errc{} && number >= 0) found[number] = {number, event.start, event.end()};
    };
    events_ = read_kineto_events(path_, wish, out_.header, mark);
    std::vector<Mark> marks;
    for (const auto& [number, one] : found) marks.push_back(one);
    return marks;
  }

  // The candidates, best first.
  std::vector<Mark> candidates(const std::vector<Mark>& marks, std::int32_t step) const {
    constexpr std::size_t most_tries = 3;
    if (step >= 0) {
      for (const Mark& mark : marks)
        if (mark.number == step) return {mark};
      refuse(fmt::format("it has no step {}", step),
             fmt::format("it has {} to {}", marks.front().number, marks.back().number));
    }
    const std::size_t middle = marks.size() / 2;
    std::vector<Mark> out{marks[middle]};
    for (std::size_t away = 1; away < marks.size() && out.size() < most_tries; ++away) {
      if (middle + away < marks.size()) out.push_back(marks[middle + away]);
      if (middle >= away) out.push_back(marks[middle - away]);
    }
    return out;
  }

  void take(const Mark& mark) {
    KinetoHeader header = std::move(out_.header);
    out_ = {};
    names_.clear();
    launched_.clear();
    if (mark.number >= 0) {
      out_.label = fmt::format("ProfilerStep#{}", mark.number);
      out_.start = mark.start;
    }
    take_host(mark);
    take_gpu(mark);
    out_.header = std::move(header);
    sort_step(out_);
  }

  void take_host(const Mark& mark) {
    KinetoWish wish{KinetoWish::bit(Category::annotation) | KinetoWish::bit(Category::cpu_op) |
                        KinetoWish::bit(Category::runtime),
                    mark.start, mark.end};
    KinetoHeader ignored;
    static_cast<void>(read_kineto_events(path_, wish, ignored, [&](KinetoEvent& event) {
      if (event.category == Category::runtime)
        take_call(event);
      else
        take_op(event);
    }));
  }

  void take_call(const KinetoEvent& event) {
    const auto kind = call_kind(event.name);
    if (!kind) return;
    if (*kind == HostCall::Kind::launch && event.correlation >= 0) launched_.insert(event.correlation);
    out_.calls.push_back({*kind, name(event.name), event.start, event.end(), event.thread, event.correlation,
                          event.external_id});
  }

  void take_op(KinetoEvent& event) {
    if (notes_) notes_(event);
    if (event.comm.collective.empty() && event.name.starts_with("nccl:")) say_payload(event);
    HostOp op{name(event.name), event.category == Category::annotation,
              event.start,      event.end(),
              event.thread,     event.external_id,
              event.sequence};
    op.comm = comm(event.comm);
    if (!event.call.shapes.empty()) {
      op.forward = kernel_of(event.call, trace::Pass::forward);
      op.backward = event.call.strides.empty() ? kernel_of(event.call, trace::Pass::backward) : op.forward;
    }
    out_.ops.push_back(op);
  }

  // Before 2024 only the annotation around a collective has the shape of its input. The size gathered
  // depends on the number of participants, which is not recorded.
  static void say_payload(KinetoEvent& event) {
    const auto kind = comm_kind(event.name);
    if (!kind || kind->kind == ops::CollectiveKind::all_gather || event.call.types.empty()) return;
    std::int64_t elements = 0;
    for (const auto& shape : event.call.shapes) {
      std::int64_t product = shape.empty() ? 0 : 1;
      for (const std::int64_t extent : shape)
        if (extent < 0 || __builtin_mul_overflow(product, extent, &product)) return;
      if (__builtin_add_overflow(elements, product, &elements)) return;
    }
    if (elements > 0) event.comm = {.collective = event.name, .type = event.call.types[0], .in = elements};
  }

  void take_gpu(const Mark& mark) {
    KinetoWish wish{gpu_categories | KinetoWish::bit(Category::sync)};
    // Without launches, everything that starts within the step belongs to it.
    const bool by_time = launched_.empty();
    if (by_time) wish.from = mark.start, wish.until = mark.end;
    KinetoHeader ignored;
    static_cast<void>(read_kineto_events(path_, wish, ignored, [&](KinetoEvent& event) {
      if (event.category == Category::sync) return take_sync(event, mark);
      if (!by_time && !launched_.contains(event.correlation)) return;
      GpuEvent one{event.category, name(event.name), event.start, event.duration, event.stream};
      one.correlation = event.correlation, one.external_id = event.external_id, one.bytes = event.bytes;
      one.comm = comm(event.comm);
      out_.events.push_back(one);
    }));
  }

  void take_sync(const KinetoEvent& event, const Mark& mark) {
    if (event.start >= mark.start && event.start < mark.end)
      out_.synchronisations[event.correlation] = {event.stream, event.waits_for_stream,
                                                  event.waits_for_record};
  }

  std::int32_t name(const std::string& text) {
    const auto [found, is_new] = names_.try_emplace(text, static_cast<std::int32_t>(out_.names.size()));
    if (is_new) out_.names.push_back(text);
    return found->second;
  }

  std::int32_t comm(CommCall& call) {
    if (call == CommCall{}) return -1;
    out_.comms.push_back(std::move(call));
    return static_cast<std::int32_t>(out_.comms.size()) - 1;
  }

  const std::string& path_;
  const OpNotes& notes_;
  KinetoStep out_;
  std::int64_t events_ = 0;  // of the GPU, in the whole file
  std::unordered_map<std::string, std::int32_t> names_;
  std::unordered_set<std::int64_t> launched_;  // correlations
};

}  // namespace

std::optional<HostCall::Kind> call_kind(std::string_view name) {
  using Kind = HostCall::Kind;
  const auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
  if (has("StreamWaitEvent")) return Kind::wait_event;
  if (has("EventRecord")) return Kind::record_event;
  if (has("Synchronize")) return Kind::synchronise;
  if (has("Launch") || has("Memcpy") || has("Memset")) return Kind::launch;
  return std::nullopt;
}

void sort_step(KinetoStep& step) {
  std::sort(step.ops.begin(), step.ops.end(), [](const HostOp& a, const HostOp& b) {
    return std::tuple(a.start, -a.end, a.external_id) < std::tuple(b.start, -b.end, b.external_id);
  });
  std::stable_sort(step.calls.begin(), step.calls.end(),
                   [](const HostCall& a, const HostCall& b) { return a.start < b.start; });
}

KinetoStep read_kineto_step(const std::string& path, std::int32_t step, const OpNotes& notes) {
  return Reader(path, notes).read(step);
}

}  // namespace echo::trace_io
