// A network of a few small ReLU layers, by gradient descent.
//
// Inputs and target are standardised over all rows (an unknown input counts as the mean); the target's scale
// is folded into the last layer afterwards. The loss is the weighted mean squared error, minimised by Adam
// in small batches. A seeded part of the rows is held back: training stops when their error has not fallen
// for `patience` epochs, and the weights with the lowest such error are kept. Every draw is a pure function
// of the seed, and all sums are in one order, so two trainings give the same bytes. The last layer starts at
// 0: learning starts from the mean, and stays there where nothing can be learned.
#include "learn/fit/fit_mlp.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include "base/at.hpp"
#include "base/contract.hpp"
#include "base/counter_rng.hpp"
#include "learn/fit/adam.hpp"
#include "learn/fit/held_signs.hpp"
#include "learn/fit/network.hpp"

namespace echo::learn {

namespace {

enum class Draw : std::uint64_t { split = 1, weights = 2, order = 3 };

std::uint64_t key_of(Draw what, std::uint64_t number) {
  return mix(static_cast<std::uint64_t>(what)) ^ number;
}

struct Scaling {
  std::vector<double> mean, scale;  // [features]
  double target_mean = 0.0, target_scale = 1.0;
};

double scale_of(double variance) { return variance > 1e-18 ? std::sqrt(variance) : 1.0; }

// Mean and spread of the numbers that are known; 0 and 1 of none.
std::pair<double, double> scaling_of(std::span<const double> numbers, std::size_t first, std::size_t stride) {
  double sum = 0.0, squares = 0.0, known = 0.0;
  for (std::size_t i = first; i < numbers.size(); i += stride)
    if (!std::isnan(numbers[i])) sum += numbers[i], known += 1.0;
  if (known == 0.0) return {0.0, 1.0};
  const double mean = sum / known;
  for (std::size_t i = first; i < numbers.size(); i += stride)
    if (!std::isnan(numbers[i])) squares += (numbers[i] - mean) * (numbers[i] - mean);
  return {mean, scale_of(squares / known)};
}

Scaling scaling_of(const Samples& samples) {
  Scaling scaling;
  const std::size_t features = samples.features.size();
  for (std::size_t i = 0; i < features; ++i) {
    const auto [mean, scale] = scaling_of(samples.values, i, features);
    scaling.mean.push_back(mean);
    scaling.scale.push_back(scale);
  }
  std::tie(scaling.target_mean, scaling.target_scale) = scaling_of(samples.target, 0, 1);
  return scaling;
}

Batch standardised(const Samples& samples, const Scaling& scaling) {
  const auto rows = static_cast<Eigen::Index>(samples.target.size());
  const auto features = static_cast<Eigen::Index>(samples.features.size());
  Batch all{Eigen::MatrixXd(features, rows), Eigen::RowVectorXd(rows), Eigen::RowVectorXd(rows)};
  for (Eigen::Index row = 0; row < rows; ++row) {
    for (Eigen::Index i = 0; i < features; ++i) {
      const double value = samples.values[at(row * features + i)];
      const auto at = static_cast<std::size_t>(i);
      all.inputs(i, row) = std::isnan(value) ? 0.0 : (value - scaling.mean[at]) / scaling.scale[at];
    }
    all.target(row) = (samples.target[at(row)] - scaling.target_mean) / scaling.target_scale;
    all.weight(row) = samples.weight[at(row)];
  }
  return all;
}

using Rows = std::vector<Eigen::Index>;

// Sorted by draws; equal draws (there are none among 2^53) would keep their order.
Rows shuffled(Rows rows, std::uint64_t seed, std::uint64_t key) {
  std::stable_sort(rows.begin(), rows.end(), [=](Eigen::Index a, Eigen::Index b) {
    return draw(seed, key, static_cast<std::uint64_t>(a)) < draw(seed, key, static_cast<std::uint64_t>(b));
  });
  return rows;
}

Batch picked(const Batch& all, std::span<const Eigen::Index> rows) {
  const auto count = static_cast<Eigen::Index>(rows.size());
  Batch some{Eigen::MatrixXd(all.inputs.rows(), count), Eigen::RowVectorXd(count), Eigen::RowVectorXd(count)};
  for (Eigen::Index i = 0; i < count; ++i) {
    const Eigen::Index row = rows[at(i)];
    some.inputs.col(i) = all.inputs.col(row);
    some.target(i) = all.target(row);
    some.weight(i) = all.weight(row);
  }
  return some;
}

// He et al. 2015 (arXiv 1502.01852): variance 2 / inputs. Where signs are held, draws are turned to fit.
DenseLayer drawn_layer(Eigen::Index inputs, Eigen::Index outputs, std::size_t layer, const HeldSigns& signs,
                       std::uint64_t seed) {
  DenseLayer drawn{Eigen::MatrixXd(outputs, inputs), Eigen::VectorXd::Zero(outputs)};
  const double spread = std::sqrt(2.0 / static_cast<double>(inputs));
  for (Eigen::Index j = 0; j < outputs; ++j)
    for (Eigen::Index i = 0; i < inputs; ++i) {
      const double normal =
          draw_normal(seed, key_of(Draw::weights, layer), static_cast<std::uint64_t>(j * inputs + i));
      const std::int32_t sign = signs.between(layer, i, j);
      drawn.weights(j, i) = spread * (sign == 0 ? normal : sign * std::abs(normal));
    }
  return drawn;
}

Network drawn_network(std::int32_t features, const std::vector<std::int32_t>& hidden, const HeldSigns& signs,
                      std::uint64_t seed) {
  Network network;
  Eigen::Index inputs = features;
  for (const std::int32_t width : hidden) {
    network.push_back(drawn_layer(inputs, width, network.size(), signs, seed));
    inputs = width;
  }
  network.push_back({Eigen::MatrixXd::Zero(1, inputs), Eigen::VectorXd::Zero(1)});
  return network;
}

Network trained(Network network, const Batch& all, const MlpSettings& settings, const HeldSigns& signs,
                std::uint64_t seed) {
  Rows rows(static_cast<std::size_t>(all.target.size()));
  std::iota(rows.begin(), rows.end(), Eigen::Index{0});
  const Rows split = shuffled(rows, seed, key_of(Draw::split, 0));
  const auto held = static_cast<std::size_t>(settings.validation * static_cast<double>(rows.size()));
  const Batch validation = picked(all, std::span(split).first(held));
  const Rows training(split.begin() + static_cast<std::ptrdiff_t>(held), split.end());
  const auto step = static_cast<std::size_t>(settings.batch);

  Adam adam(network, settings.learning_rate, settings.weight_decay);
  Network best = network;
  double least = std::numeric_limits<double>::infinity();
  std::int32_t since_best = 0;
  for (std::int32_t epoch = 0; epoch < settings.epochs; ++epoch) {
    const Rows order = shuffled(training, seed, key_of(Draw::order, static_cast<std::uint64_t>(epoch)));
    for (std::size_t first = 0; first < order.size(); first += step) {
      const auto batch = std::span(order).subspan(first, std::min(step, order.size() - first));
      adam.step(network, gradient_of(network, picked(all, batch)));
      signs.hold(network);
    }
    if (held == 0) continue;  // too few rows to hold any back: all epochs are run
    const double loss = loss_of(network, validation);
    ++since_best;
    if (loss < least) least = loss, best = network, since_best = 0;
    if (since_best >= settings.patience) break;
  }
  return held == 0 ? network : best;
}

slowdown::Mlp as_regressor(const Network& network, const Scaling& scaling) {
  slowdown::Mlp mlp{.mean = scaling.mean, .scale = scaling.scale, .layers = {}};
  for (const DenseLayer& layer : network) {
    const bool last = &layer == &network.back();
    const double scale = last ? scaling.target_scale : 1.0;
    slowdown::MlpLayer flat{.inputs = static_cast<std::int32_t>(layer.weights.cols()),
                            .outputs = static_cast<std::int32_t>(layer.weights.rows())};
    for (Eigen::Index j = 0; j < layer.weights.rows(); ++j) {
      for (Eigen::Index i = 0; i < layer.weights.cols(); ++i)
        flat.weights.push_back(scale * layer.weights(j, i));
      flat.bias.push_back(scale * layer.bias(j) + (last ? scaling.target_mean : 0.0));
    }
    mlp.layers.push_back(std::move(flat));
  }
  return mlp;
}

}  // namespace

slowdown::Mlp fit_mlp(const Samples& given, const MlpSettings& settings,
                      const std::vector<std::int32_t>& monotone, std::uint64_t seed) {
  ECHO_EXPECT(settings.batch >= 1 && settings.validation >= 0.0 && settings.validation < 1.0);
  const Samples samples = of_the_base(given);
  const Scaling scaling = scaling_of(samples);
  const HeldSigns signs(monotone, settings.hidden);
  const auto features = static_cast<std::int32_t>(samples.features.size());
  const Network network = trained(drawn_network(features, settings.hidden, signs, seed),
                                  standardised(samples, scaling), settings, signs, seed);
  return as_regressor(network, scaling);
}

}  // namespace echo::learn
