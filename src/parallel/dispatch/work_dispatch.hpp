// Hands out ranges of point ids to workers that ask (two-sided messages; worker 0 answers between its own
// points).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "parallel/dispatch/hand_out.hpp"
#include "parallel/journal/claim_page.hpp"
#include "parallel/platform/host.hpp"
#include "parallel/platform/mail.hpp"
#include "sweep/run/row.hpp"

namespace echo::parallel {

class WorkDispatch : public sweep::WorkSource {
 public:
  // On other workers than 0 only the plan's `poisoned` matters. `on_progress` is called on worker 0, at most
  // five times a second; false from it stops the launch.
  WorkDispatch(const Mail&, WorkPlan plan, std::function<bool(const Progress&)> on_progress = {},
               DispatchOptions = {}, Host& = real_host());
  ~WorkDispatch() override;
  WorkDispatch(const WorkDispatch&) = delete;
  WorkDispatch& operator=(const WorkDispatch&) = delete;

  // Called before this worker waits for others or tries a suspect: its rows should be on disk by then.
  void when_idle(std::function<void()> on_idle);
  // Where the point in hand is kept from now on; null = nowhere.
  void hold_claims_in(ClaimPage* page) { page_ = page; }
  // The next range for this worker; nothing when all is handed out or a stop was requested. After nothing, on
  // worker 0, every worker has been notified.
  std::optional<sweep::IdRange> claim() override;
  void begin(sweep::PointIndex id) override {
    if (page_ != nullptr) page_->hold(id);
  }
  [[nodiscard]] bool is_poisoned(sweep::PointIndex id) const override;
  [[nodiscard]] bool is_stopping_now() const override;
  // Rows this worker finished, for progress. The sink calls it.
  void note(std::span<const sweep::Row>);
  // This worker cannot go on (its disk is full): ends the dispatch for all. Call it instead of further
  // claims.
  void give_up();
  // After the last claim: why ids were left over intentionally. Worker 0 knows; another may have ended before
  // the stop.
  [[nodiscard]] StopReason stopped() const;
  [[nodiscard]] const Progress& progress() const;  // worker 0: of all workers; complete after the last claim

 private:
  struct State;
  std::unique_ptr<State> state_;
  ClaimPage* page_ = nullptr;
};

}  // namespace echo::parallel
