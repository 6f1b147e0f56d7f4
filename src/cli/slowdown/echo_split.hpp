// Which rows Echo-slowdown holds out of training.
#pragma once

#include <cstddef>
#include <vector>

namespace echo::cli {

// [rows] whether train_test_split(test_size = 0.2, random_state = 42) of scikit-learn holds each out: the
// first fifth, rounded up, of numpy.random.RandomState(42).permutation(rows).
[[nodiscard]] std::vector<bool> held_out_by_echo(std::size_t rows);

}  // namespace echo::cli
