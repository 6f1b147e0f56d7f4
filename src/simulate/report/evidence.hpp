// The evidence for the parts of one step, besides their constants.
#pragma once

#include <array>
#include <cstdint>

#include "base/units.hpp"
#include "simulate/report/error_model.hpp"

namespace echo::simulate {

struct Evidence {
  std::array<SimTime, 4> graded{};  // compute time by ops::Grade
  double gpu_error = 0.0;           // GpuSpec::kernels_error, and more for a what-if
  double rate_error = 0.0;          // kernels::sustained_error of the precision
  bool network_measured = true;     // there are logs of the cluster's network, as far as collectives reach
  double octaves_beyond = 0.0;      // log2 of their nodes over the most that were measured; 0 within
  bool host_measured = false;       // of the framework
  SettingsFrom settings_from = SettingsFrom::run;
  // What tensor-parallel collectives would wait for hosts, were each of their ranks' late by a call, where a
  // pipeline crosses nodes.
  SimTime peers{};
  SimTime issued{};             // host time to issue the step's passes, hidden or not
  std::int32_t untried = 0;     // bits of Choice: values that no published run of the GPU kind had
  bool framework_tried = true;  // on some GPU kind, by a published run of a framework of its line
  bool mixes_experts = false;   // the model does
  bool compiles = false;        // a compiler writes the kernels beside products
  bool tunes = false;           // an adapter, or on packed documents
};

}  // namespace echo::simulate
