#include "timeline/pipeline/lane_cases.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "base/contract.hpp"

namespace echo::timeline {

namespace {

void append_body(std::span<const ChunkTimes> times, std::vector<SimTime>& out) {
  for (const ChunkTimes& time : times)
    out.insert(out.end(),
               {time.forward, time.backward_input, time.backward_weight, time.gathered, time.first_forward});
}

}  // namespace

LaneCases::LaneCases(std::span<const PipelineCase> cases, const Hops& hops, std::vector<SimTime>& body)
    : cases_(cases) {
  body.assign(hops.forward.begin(), hops.forward.end());
  body.insert(body.end(), hops.backward.begin(), hops.backward.end());
  body.emplace_back(std::ssize(hops.forward));
  std::array<std::size_t, most_cases> body_of{}, number{}, size{};
  std::array<std::size_t, most_cases + 1> begin{body.size()};
  std::size_t bodies = 0;
  for (std::size_t k = 0; k < cases.size(); ++k) {
    append_body(cases[k].times, body);
    const auto own = std::span(body).subspan(begin[bodies]);
    std::size_t same = 0;
    while (same < bodies && !std::ranges::equal(std::span(body).subspan(begin[same], own.size()), own))
      ++same;
    if (same < bodies)
      body.resize(begin[bodies]);
    else
      begin[++bodies] = body.size();
    body_of[k] = same, number[k] = size[same]++;
  }
  width_ = width_of(bodies);
  // Every body has one lane, the last one the others, too.
  const auto lanes_of = [&](std::size_t one) { return one + 1 < bodies ? 1 : lanes() - one; };
  for (std::size_t k = 0; k < cases.size(); ++k) {
    const std::size_t own = lanes_of(body_of[k]);
    place_[k] = {number[k] / own, body_of[k] + number[k] % own};
    turns_ = std::max(turns_, place_[k].turn + 1);
  }
  ECHO_EXPECT(turns_ <= most_turns);
  for (std::size_t lane = 0; lane < lanes(); ++lane) {
    const std::size_t own = std::min(lane, bodies - 1);
    for (std::size_t turn = 0; turn < turns_; ++turn) {
      std::size_t& runs = case_of_[turn][lane];
      runs = turn > 0 ? case_of_[turn - 1][lane]
                      : static_cast<std::size_t>(std::ranges::find(body_of, own) - body_of.begin());
      for (std::size_t k = 0; k < cases.size(); ++k)
        if (place_[k].turn == turn && place_[k].lane == lane) runs = k;
    }
  }
  body.emplace_back(static_cast<std::int64_t>(path_lane() < bodies ? path_lane() : bodies - 1));
}

namespace {

double hop_at(std::span<const SimTime> times, std::int32_t border) {
  if (times.empty()) return 0.0;
  ECHO_EXPECT(times[at(border)] >= SimTime::zero());
  return to_lane(times[at(border)]);
}

// Usual, special, without weight gradients; durations as lay_legs says. Between chunk and chunk + 1 blocking
// transfers occupy both ends, overlapped ones the link.
class SlotLayer {
 public:
  SlotLayer(const PipelineShape& shape, const Schedule& schedule, std::size_t width,
            std::vector<TimePair>& slots)
      : shape_(shape), schedule_(schedule), width_(width), slots_(slots) {}

  void lay_hops(const Hops& hops) {
    const std::int32_t chunks = shape_.chunks;
    for (std::int32_t c = 0; c + 1 < chunks; ++c) {
      if (shape_.stage_of_chunk[at(c)] == shape_.stage_of_chunk[at(c + 1)]) continue;
      const std::int32_t forward = c, backward = 2 * chunks - 2 - c;
      put_hop(forward, 1, hop_at(hops.forward, c));
      put_hop(backward, 1, hop_at(hops.backward, c));
      if (hops.overlapped) continue;
      put_hop(forward + 1, 0, hop_at(hops.forward, c));
      put_hop(backward + 1, 0, hop_at(hops.backward, c));
    }
  }

  void lay_body(std::size_t lane, std::span<const ChunkTimes> times) {
    const std::int32_t chunks = shape_.chunks;
    for (std::int32_t c = 0; c < chunks; ++c) {
      const ChunkTimes& time = times[at(c)];
      put(c, lane, time.forward, std::max(time.forward, time.first_forward), {});
      put(2 * chunks - 1 - c, lane, time.backward_input + time.backward_weight, {}, time.backward_input);
      put(2 * chunks + c, lane, time.backward_weight, {}, {});
    }
  }

  void lay_ends(std::size_t lane, std::span<const ChunkTimes> times) {
    const std::int32_t chunks = shape_.chunks;
    for (std::int32_t c = 0; c < chunks; ++c) {
      const ChunkTimes& time = times[at(c)];
      const SimTime rest = std::max(SimTime::zero(), time.last_backward - time.backward_input);
      const bool splits = schedule_.splits_backward;
      TimePair* const to = slot(splits ? 2 * chunks + c : 2 * chunks - 1 - c) + width_ + 2 + lane / 2;
      to->times[lane % 2] = to_lane(splits ? rest : time.last_backward);
    }
  }

 private:
  [[nodiscard]] TimePair* slot(std::int32_t leg) { return slots_.data() + at(3 * leg) * (width_ + 2); }
  void put(std::int32_t leg, std::size_t lane, SimTime usual, SimTime special, SimTime split) {
    TimePair* to = slot(leg) + lane / 2;
    for (const SimTime time : {usual, special, split}) to->times[lane % 2] = to_lane(time), to += width_ + 2;
  }
  void put_hop(std::int32_t leg, std::size_t after, double time) {
    TimePair* to = slot(leg) + width_ + after;
    for (int lasts = 0; lasts < 3; ++lasts, to += width_ + 2) to->times = TwoTimes{time, time};
  }

  const PipelineShape& shape_;
  const Schedule& schedule_;
  const std::size_t width_;
  std::vector<TimePair>& slots_;
};

}  // namespace

void lay_body_slots(const PipelineShape& shape, const Schedule& schedule, const LaneCases& cases,
                    const Hops& hops, std::vector<TimePair>& slots) {
  slots.assign(at(9 * shape.chunks) * (cases.width() + 2), TimePair{});
  SlotLayer layer(shape, schedule, cases.width(), slots);
  layer.lay_hops(hops);
  for (std::size_t lane = 0; lane < cases.lanes(); ++lane) layer.lay_body(lane, cases.of(0, lane).times);
}

void lay_tail_slots(const PipelineShape& shape, const Schedule& schedule, const LaneCases& cases,
                    std::size_t turn, std::vector<TimePair>& slots) {
  SlotLayer layer(shape, schedule, cases.width(), slots);
  for (std::size_t lane = 0; lane < cases.lanes(); ++lane) layer.lay_ends(lane, cases.of(turn, lane).times);
}

}  // namespace echo::timeline
