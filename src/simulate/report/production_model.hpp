// What a production run loses: constants of sweeps/catalog/settings/production.toml, where their sources are.
#pragma once

namespace echo::simulate {

struct Loss {
  double value = 0.0, error = 0.0;  // one standard deviation
  friend bool operator==(const Loss&, const Loss&) = default;
};

// A model of zeros adds nothing.
struct ProductionModel {
  Loss gpu_spread;              // standard deviation, between GPUs, of the logarithm of their arithmetic time
  double contained_gpus = 1.0;  // of the benchmarks that constants come from: their slowest is contained
  Loss slow_nodes;              // share of all nodes
  Loss slow_node_loss;          // of a job that has one, relative to its step
  Loss host_loss;               // input pipeline, garbage collection, logging; relative to the step
  Loss temperature_loss;        // same
  Loss checkpoint_loss;         // same, saves spread over all steps
  double job_spread = 0.0;      // standard deviation of the logarithm of a job's slowdown
  friend bool operator==(const ProductionModel&, const ProductionModel&) = default;
};

}  // namespace echo::simulate
