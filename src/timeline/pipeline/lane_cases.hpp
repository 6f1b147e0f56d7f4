// Which lanes run which cases of a pipeline, and the durations that they run with. Cases that differ only in
// last backwards and gradient traffic have one body (Program) and share a lane, one after the other; where
// one body is all there is, both lanes of a pair run it, and the cases that have it two at a time.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "timeline/pipeline/pipeline.hpp"

namespace echo::timeline {

inline constexpr std::size_t most_lanes = 4, most_turns = 2;

class LaneCases {
 public:
  // `body` receives all durations that bodies depend on, and the lane of the last case: equal ones of one
  // program and one kind of transfers run equally up to the tail. Contract: 1 to most_cases cases.
  LaneCases(std::span<const PipelineCase> cases, const Hops&, std::vector<SimTime>& body);

  [[nodiscard]] std::size_t width() const { return width_; }  // in pairs of lanes
  [[nodiscard]] std::size_t lanes() const { return 2 * width_; }
  [[nodiscard]] std::size_t turns() const { return turns_; }  // after the body, one after the other
  // What a lane runs in a turn; where it has nothing new to run, what it ran before.
  [[nodiscard]] const PipelineCase& of(std::size_t turn, std::size_t lane) const {
    return cases_[case_of_[turn][lane]];
  }
  // Where a case runs first.
  struct Place {
    std::size_t turn = 0, lane = 0;
  };
  [[nodiscard]] Place place_of(std::size_t number) const { return place_[number]; }
  [[nodiscard]] std::size_t path_lane() const { return place_[cases_.size() - 1].lane; }

 private:
  std::span<const PipelineCase> cases_;
  std::size_t width_ = 1, turns_ = 1;
  std::array<std::array<std::size_t, most_lanes>, most_turns> case_of_{};
  std::array<Place, most_cases> place_{};
};

// [9 * chunks][width + 2] of the lanes as they run in the body, all but last backwards.
void lay_body_slots(const PipelineShape&, const Schedule&, const LaneCases&, const Hops&,
                    std::vector<TimePair>& slots);
// Last backwards, as they run in a turn.
void lay_tail_slots(const PipelineShape&, const Schedule&, const LaneCases&, std::size_t turn,
                    std::vector<TimePair>& slots);

}  // namespace echo::timeline
