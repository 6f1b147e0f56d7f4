// What a few measured runs would have been worth in published groups of layouts.
#pragma once

#include <span>

namespace echo::calibrate {

// `echo-calibrate settle [--unseen] [--runs N] [--table FILE]`: layouts of a table of steps compete that have
// source, model, GPU kind, GPU count, batch, sequence, precision and kind of training in common, in groups of
// four or more. In each, the layout that is predicted fastest is chosen; then that of the least expected time
// once the runs that settle::next_runs asks for (3) are revealed; beside it, the best of the 3 that are
// predicted fastest, all measured. Prints the mean regret of each by publication, with the regret that was
// expected. --unseen: predictions of models that saw nothing of a publication (held_out.hpp).
int run_settle(std::span<char*> args);

}  // namespace echo::calibrate
