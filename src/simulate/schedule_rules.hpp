// What schedules require of a config, beyond the shape of its pipeline; and the list of all rules.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/refusal.hpp"
#include "timeline/schedule.hpp"
#include "training/config.hpp"
#include "training/layout/rank_layout.hpp"

namespace echo::simulate {

// The first rule of the schedule that the config breaks; none where it breaks none. Contract: it breaks no
// rule of training::rule_sets, and its ranks are laid out.
[[nodiscard]] Refusal why_schedule_cannot(const training::TrainingConfig&, const timeline::Schedule&,
                                          const training::RankLayout&);

// The rules that hold for configs of generated steps: all but those of replays.
[[nodiscard]] std::vector<Refusal> refusals_of_configs();

// Every rule by which a config can be `unsupported`, each once.
[[nodiscard]] const std::vector<Refusal>& all_refusals();

// The one of these with this code; none for 0 and for codes of other versions.
[[nodiscard]] Refusal refusal_of(std::int32_t code);
// The one with this word_of; none where no rule has it.
[[nodiscard]] Refusal refusal_named(std::string_view word);

}  // namespace echo::simulate
