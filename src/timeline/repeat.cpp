#include "timeline/repeat.hpp"

namespace echo::timeline {

bool run_repeating(const PipelineShape&, const Schedule&, bool, PipelineScratch&) { return false; }

}  // namespace echo::timeline
