// The calibration: fitted constants of kernels, networks and slowdown. Immutable once read; broadcast once.
#pragma once

#include <cstdint>
#include <vector>

#include "collective/constants.hpp"
#include "kernels/constants.hpp"
#include "kernels/database/database.hpp"
#include "simulate/contention.hpp"
#include "simulate/report/error_model.hpp"
#include "simulate/report/practice.hpp"
#include "simulate/report/production_model.hpp"
#include "simulate/setting.hpp"
#include "slowdown/learned_view.hpp"
#include "slowdown/model.hpp"

namespace echo::simulate {

struct Calibration {
  std::vector<kernels::KernelConstants> kernels;       // found by GpuSpec::kernels
  std::vector<collective::NetworkConstants> networks;  // found by ClusterSpec::network
  ErrorModel errors;                                   // how sure all of this is
  Practice practice;                                   // what published runs have exercised
  slowdown::Model slowdown;
  slowdown::LearnedView
      learned;  // takes its place where there is one; looks at bytes that somebody else keeps
  Contention contention = default_contention;          // [simulate] contention of the sweep
  std::int64_t packet_budget = default_packet_budget;  // [simulate] packet_budget
  ProductionModel production;
  Setting setting = Setting::benchmark;            // [simulate] setting
  SettingsFrom settings_from = SettingsFrom::run;  // configs of a sweep say what runs
  kernels::Database measured;  // kernels that a user's profiles time; looks at bytes that somebody else keeps
  friend bool operator==(const Calibration&, const Calibration&) = default;
};

}  // namespace echo::simulate
