// Max-min fair rates: no flow can get more unless a flow with at most its rate gets less.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/at.hpp"
#include "base/csr.hpp"
#include "network/link_use.hpp"

namespace echo::network {

// Flows start and stop; `settle` computes the rates of all flows affected, directly or through shared links.
// Between two calls of it where flows only stopped, rates that cannot change are not computed again.
// A flow at rate r uses share * r of each of its links.
class MaxMin {
 public:
  // Rows of `uses` are flows, each with at least one link and positive shares. All must outlive the solver.
  void bind(const Csr<LinkUse>& uses, std::span<const double> capacity);
  void start(std::int32_t flow);
  void stop(std::int32_t flow);
  // Returns the flows whose rates were recomputed; valid until the next call.
  std::span<const std::int32_t> settle();
  [[nodiscard]] double rate(std::int32_t flow) const { return rate_[at(flow)]; }
  // The link that limits a flow.
  [[nodiscard]] std::int32_t bottleneck(std::int32_t flow) const { return bottleneck_[at(flow)]; }

 private:
  struct LinkState {
    std::int32_t head = -1;  // first entry of its list of running flows
    double left = 0.0, demand = 0.0;
    std::int32_t open = 0;  // flows without a rate yet
    bool reached = false;
  };
  struct Entry {  // of `uses`: neighbours in the list of its link
    std::int32_t flow = -1, next = -1, previous = -1;
  };
  void touch(std::int32_t link);
  void reach_from_touched();
  void fill();
  void freeze(std::int32_t flow, double level, std::int32_t link);
  [[nodiscard]] double level_of(std::int32_t link) const;

  const Csr<LinkUse>* uses_ = nullptr;
  std::span<const double> capacity_;
  std::vector<LinkState> links_;
  std::vector<Entry> entries_;
  std::vector<double> rate_;
  std::vector<std::int32_t> bottleneck_;
  double kept_below_ = 0.0;  // flows of lower rates keep them
  std::vector<std::int8_t> reached_flow_, is_open_;
  std::vector<std::int32_t> touched_, component_links_, component_flows_;
  std::vector<std::pair<double, std::int32_t>> heap_;
};

// All flows at once.
void max_min_rates(const Csr<LinkUse>& uses, std::span<const double> capacity, std::vector<double>& out);

}  // namespace echo::network
