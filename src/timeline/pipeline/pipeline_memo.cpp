// Without overlapped gradient traffic, ZeRO's stage and an optimizer in host memory change the end of a step
// and nothing before it: of the pipelines of a sweep over both, every third is one of the few before it.
// Running one and finding its path takes some 40 us, the fingerprint of its durations 1 us. Among 10^9
// pipelines, two share theirs with a chance of some 10^-21.
#include "timeline/pipeline/pipeline_memo.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "base/contract.hpp"

namespace echo::timeline {
namespace {

class Words {
 public:
  explicit Words(std::vector<std::byte>& out) : out_(out) { out_.clear(); }

  template <class T>
  void add(const T& value) {
    add(std::span<const T>(&value, 1));
  }
  // How many, and all of them.
  template <class T>
  void add(std::span<const T> values) {
    append(values.size());
    append_bytes(values);
  }
  // The same where most values equal the one before: each once, and how often.
  template <class T>
  void add_runs(std::span<const T> values) {
    append(values.size());
    for (std::size_t first = 0, end = 0; first < values.size(); first = end) {
      while (end < values.size() && values[end] == values[first]) ++end;
      append(end - first);
      append_bytes(values.subspan(first, 1));
    }
  }

 private:
  void append(std::size_t count) { append_bytes(std::span<const std::size_t>(&count, 1)); }
  template <class T>
  void append_bytes(std::span<const T> values) {
    static_assert(std::has_unique_object_representations_v<T>);  // padding is not data
    const auto bytes = std::as_bytes(values);
    out_.insert(out_.end(), bytes.begin(), bytes.end());
  }
  std::vector<std::byte>& out_;
};

}  // namespace

// All that compose_pipelines reads. The functions of a schedule see the shape and the times alone.
Hash128 PipelineMemo::print_of(const PipelineShape& shape, const Schedule& schedule,
                               std::span<const PipelineCase> cases, const Hops& hops) {
  Words words(words_);
  words.add(schedule.slice), words.add(schedule.steady), words.add(schedule.plan), words.add(shape.given);
  const std::array flags{shape.pairs,
                         schedule.splits_backward,
                         schedule.mixes_backwards,
                         schedule.pairs == Pairs::on_demand,
                         schedule.pairs == Pairs::always,
                         hops.overlapped};
  std::int32_t bits = 0;
  for (const bool flag : flags) bits = 2 * bits + (flag ? 1 : 0);
  words.add(std::array{shape.stages, shape.chunks, shape.microbatches, shape.microbatch_group, shape.copies,
                       schedule.copies, shape.deferred, bits});
  words.add(shape.stage_of_chunk);
  words.add_runs(hops.forward), words.add_runs(hops.backward);
  for (const PipelineCase& one : cases)
    words.add_runs(one.times), words.add_runs(one.data), words.add(one.pairs);
  return hash128(words_);
}

void PipelineMemo::run(const PipelineShape& shape, const Schedule& schedule,
                       std::span<const PipelineCase> cases, const Hops& hops, PipelineScratch& scratch,
                       Trail& trail) {
  ECHO_EXPECT(!cases.empty() && cases.size() <= most_cases);
  std::ranges::copy(cases, cases_.begin());
  case_count_ = cases.size(), hops_ = hops;
  if (kept_.empty()) kept_.resize(places);
  const Hash128 print = print_of(shape, schedule, cases, hops);
  std::size_t place = 0;
  std::memcpy(&place, print.data(), sizeof place);
  Kept& kept = kept_[place % places];
  const bool is_known = kept.cases == cases.size() && kept.print == print;
  ++count_.asked, count_.known += is_known ? 1 : 0;
  last_ = &kept, has_run_ = !is_known;
  if (is_known) {
    for (std::size_t i = 0; i < cases.size(); ++i) *cases[i].out = kept.times[i];
    return;
  }
  kept.cases = 0;  // until it has run: it may throw
  compose_pipelines(shape, schedule, cases, hops, scratch, &trail);
  for (std::size_t i = 0; i < cases.size(); ++i) kept.times[i] = *cases[i].out;
  kept.print = print, kept.cases = cases.size(), kept.path_of = -1;
}

void PipelineMemo::find_path(const PipelineShape& shape, const Schedule& schedule, PipelineScratch& scratch,
                             Trail& trail, const StageTimes& times, std::int32_t stage, PipelinePath& out) {
  if (last_ == nullptr) return timeline::find_path(shape, schedule, trail, scratch, times, stage, out);
  PipelinePath& known = last_->path;
  if (last_->path_of == stage) {
    out.legs = known.legs, out.data = known.data, out.pairs = known.pairs, out.gathered = known.gathered;
    return;
  }
  if (!has_run_)
    compose_pipelines(shape, schedule, std::span(cases_).first(case_count_), hops_, scratch, &trail);
  has_run_ = true;
  timeline::find_path(shape, schedule, trail, scratch, times, stage, out);
  known.legs = out.legs, known.data = out.data, known.pairs = out.pairs, known.gathered = out.gathered;
  last_->path_of = stage;
}

}  // namespace echo::timeline
