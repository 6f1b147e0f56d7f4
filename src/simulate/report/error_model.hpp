// The error model: relative standard deviations of the quantities that a step depends on. Read from
// sweeps/catalog/errors/*.toml; fitted to published runs by `echo-calibrate errors`.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/error_source.hpp"

namespace echo::simulate {

// Where the settings of a run come from that it leaves open: the framework's defaults, on the vendor's
// machine; what all runs of its suite share; or the run itself, whose publication has been read.
enum class SettingsFrom : std::uint8_t { defaults, suite, run };

// The defaults are orders of magnitude, for catalogs that say nothing.
struct ErrorModel {
  std::array<double, fitted_error_source_count> sigma{0.05, 0.10, 0.10, 0.15, 0.30, 0.15, 0.50, 0.03, 0.03};
  double hidden_communication = 0.03;  // of overlap: share of hidden communication that shows
  // The part of every other contribution that differs from config to config, over the part that they share.
  double own_share = 0.35;
  double mixtures =
      0.08;  // of framework, in quadrature, for mixtures of experts: dispatchers and fused kernels
             //   change with every release
  // A part of framework, in quadrature, where a compiler writes the kernels beside products: what it fuses
  // changes with its version, the model and the number format.
  double compiled = 0.06;
  double tuning = 0.05;  // of framework, in quadrature, for fine-tuning: packed documents, frozen weights and
                         //   adapters, which sustained rates were not fitted to
  // Where settings are not those of the run, in quadrature:
  double unstated_settings = 0.06;  // of framework, where they are its defaults
  double unstated_suite = 0.03;     // of framework, where its suite is known
  double unstated_machine = 0.50;   // of scale_out: fabrics of public clusters give 17 to 100 % of their NICs
  // A part of layout, in quadrature, for each choice that no published run of the GPU kind has exercised.
  double untried_choice = 0.03;
  // In quadrature: of arithmetic and memory, where no published run is of the GPU kind; of layout, where none
  // is of a framework that builds on the same one. Errors of such runs differ from config to config rather
  // than by a common shift.
  double untried_gpu = 0.08, untried_framework = 0.06;
  // Added in quadrature where there is less evidence.
  double extrapolated_kernels = 0.10;  // of arithmetic and memory, times the share so priced
  double unmeasured_host = 0.50;       // of host: no step tells the framework's host times
  double unmeasured_network = 0.20;    // of scale_up, scale_out and latency: no log of such a network
  double beyond_nodes = 0.05;  // of scale_out and latency, for each octave of nodes beyond those measured
  // The share of arithmetic and memory errors that remains where a user measured these kernels, 0..1.
  double measured_kernels = 0.5;
  // Standard deviations that hold 80 % of the runs of publications the model has not seen.
  double p90 = 1.2816;
  // Errors of device memory: weights to optimizer; activations and logits; the rest.
  double memory_states = 0.02, memory_activations = 0.10, memory_rest = 0.30;
  double memory_publication = 0.07;  // of the whole, common to the runs of a publication
  friend bool operator==(const ErrorModel&, const ErrorModel&) = default;
};

}  // namespace echo::simulate
