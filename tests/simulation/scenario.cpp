#include "tests/simulation/scenario.hpp"

#include <algorithm>
#include <csignal>
#include <set>
#include <utility>

#include "base/counter_rng.hpp"
#include "base/error.hpp"
#include "parallel/launch/stop_signal.hpp"

namespace echo::simulation {

using parallel::LaunchOutcome;

namespace {

// Spins as HandOut::release() did on one worker with a suspect.
class ForgetfulHandOut : public parallel::HandOut {
 public:
  ForgetfulHandOut(parallel::WorkPlan plan, int workers, const parallel::DispatchOptions& options)
      : HandOut(std::move(plan), workers, options), workers_(workers) {}
  std::vector<std::pair<int, parallel::Answer>> release() override {
    if (workers_ > 1 || plan().suspects.empty() || stopped() != parallel::StopReason::none)
      return HandOut::release();
    for (;;)
      if (!world->pause_quietly()) throw Killed();
  }
  static World* world;

 private:
  int workers_;
};
World* ForgetfulHandOut::world = nullptr;

std::unique_ptr<parallel::HandOut> forgetful(parallel::WorkPlan plan, int workers,
                                             const parallel::DispatchOptions& options) {
  return std::make_unique<ForgetfulHandOut>(std::move(plan), workers, options);
}

}  // namespace

results::FileHeader Sweep::header() const {
  return {.sweep_key = key(), .row_key = row_key, .space_key = space_key};
}

parallel::SpaceView Sweep::view() const {
  return {.size = std::ssize(values),
          .config_id =
              [this](sweep::PointIndex id) { return config_id_of(values.at(static_cast<std::size_t>(id))); },
          .config = [](sweep::PointIndex) { return training::TrainingConfig(); }};
}

std::uint64_t config_id_of(Value value) { return mix(static_cast<std::uint64_t>(value)); }

std::int64_t payload_of(const std::string& row_key, Value value) {
  return static_cast<std::int64_t>(mix(static_cast<std::uint64_t>(value) * 2 + (row_key == "r" ? 1 : 0)) >>
                                   8);
}

sweep::Row row_of(const Sweep& sweep, sweep::PointIndex id) {
  const Value value = sweep.values.at(static_cast<std::size_t>(id));
  sweep::Row row;
  row.id = id;
  row.config_id = config_id_of(value);
  row.report.status = training::Status::ok;
  row.report.step = SimTime(payload_of(sweep.row_key, value));
  return row;
}

bool Job::is_over() const {
  return std::ranges::all_of(processes, [](const Process* process) { return process->is_over; });
}
bool Job::has_died() const {
  return std::ranges::any_of(processes, [](const Process* process) { return process->is_dead; });
}

Scenario::Scenario(std::uint64_t seed, const SimulationOptions& options)
    : options_(options),
      world_(seed),
      disk_(world_),
      fsync_(static_cast<parallel::Fsync>(world_.chance.below(3))),
      ledger_(world_, fsync_) {
  Chance& chance = world_.chance;
  world_.traces = options.traces;
  ForgetfulHandOut::world = &world_;
  sweep_ = {"r", "s0", {}};
  larger_ = {"r", "s1", {}};
  const std::int64_t points = chance.between(3, 24);
  for (Value value = 0; value < 2 * points; ++value) {
    if (value % 2 == 0) sweep_.values.push_back(value);
    if (value % 2 == 0 || chance.one_in(3)) larger_.values.push_back(value);
  }
  larger_.values.push_back(2 * points);
  hosts_ = static_cast<int>(chance.between(1, 3));
  faulty_launches_ = static_cast<int>(chance.between(1, 5));
  fault_one_in_ = std::int64_t{1} << chance.between(3, 10);
  assembly_fault_one_in_ = std::int64_t{1} << chance.between(2, 8);
  point_time_ = millisecond << chance.between(0, 11);
  for (int kind = 0; kind < fault_count; ++kind)
    if (chance.one_in(3)) kinds_.push_back(static_cast<Fault>(kind));
  if (kinds_.empty()) kinds_.push_back(static_cast<Fault>(chance.below(fault_count)));
  // A damaged snapshot may be all that a loss of power left: then its rows are lost.
  if (is_possible(Fault::power) || is_possible(Fault::lose_host) || is_possible(Fault::extend) ||
      is_possible(Fault::fresh))
    std::erase(kinds_, Fault::damaged_snapshot);
  disk_.put("/r/notes.txt", "mine");
  disk_.shares_temporaries = options.mistake == Mistake::shared_temporary_names;
  disk_.hides_loss_of_lock = options.mistake == Mistake::no_fence;
  disk_.keeps_damaged = options.mistake == Mistake::damaged_file_blocks;
  disk_.on_rename = [this](Process& process, const std::string& name) {
    if (name == result_name) check_file("renamed");
    // A disk that fails twice in a row, at the file alone, looks like damage.
    if (name.ends_with(".aside") && job_of(process).errors_at_file > 1)
      ledger_.forget_all(), done_key_.clear();
  };
  disk_.on_trouble = [this](Process& process, const std::string& name) {
    ledger_.meets_error(process);
    job_of(process).met_error = true;
    if (name == result_name) ++job_of(process).errors_at_file;
  };
  world_.on_kill = [this](Process& process) { disk_.unmap(process); };
  disk_.on_lock = [this](Process& process) {
    job_of(process).has_locked = true;
    for (const auto& other : world_.processes)
      if (other->job != process.job && !other->is_over && job_of(*other).has_locked) {
        ledger_.take_over_from(*other);
        outcome_.takeovers += other->worker == 0 && job_of(*other).has_begun ? 1 : 0;
      }
  };
  disk_.on_remove = [this](Process& process, const std::string& name) {
    const Job& job = job_of(process);
    if (job.request.fresh && !job.has_begun && name.ends_with(".rows")) ledger_.forget_all();
  };
}

Scenario::~Scenario() {
  for (const auto& process : world_.processes)
    if (!process->is_over) world_.kill(*process);
}

SimulationOutcome Scenario::run() {
  constexpr std::int64_t most_steps = 400'000;
  world_.at(world_.now, [this] { look(); });
  while (world_.broken.empty() && !is_finished_) {
    if (!world_.step() && !is_finished_) world_.fail("nothing can go on");
    if (!is_calm_) maybe_fault();
    if (world_.steps > most_steps) world_.fail("a launch does not end");
  }
  if (world_.broken.empty()) check_end();
  outcome_.broken = world_.broken;
  outcome_.trace = std::move(world_.trace);
  outcome_.steps = world_.steps;
  outcome_.launches = std::ssize(jobs_);
  return std::move(outcome_);
}

bool Scenario::is_possible(Fault fault) const { return std::ranges::find(kinds_, fault) != kinds_.end(); }

// --- the user

bool Scenario::is_frozen(int host) const {
  return std::ranges::any_of(world_.processes, [this, host](const auto& process) {
    return !process->is_over && (host < 0 || process->host == host) &&
           process->host_frozen_until > world_.now;
  });
}

Job& Scenario::job_of(const Process& process) { return *jobs_[static_cast<std::size_t>(process.job - 1)]; }

bool Scenario::is_any_running() const {
  return std::ranges::any_of(jobs_, [](const auto& job) { return !job->is_over(); });
}

void Scenario::look() {
  for (auto& job : jobs_) {
    if (job->has_died() && !std::exchange(job->is_ending, true))
      world_.at(world_.now + world_.chance.between(0, 2000) * millisecond,
                [this, &job = *job] { end_job(job); });
    if (job->is_over() && !std::exchange(job->was_seen_to_end, true)) see_end(*job);
  }
  if (is_finished_ || !world_.broken.empty()) return;
  const bool may_redo = is_possible(Fault::extend) || is_possible(Fault::fresh);
  const bool is_late = std::ssize(jobs_) >= faulty_launches_ || world_.now > 4000 * second ||
                       (!done_key_.empty() && !may_redo);
  if (!is_calm_ && is_late && (!is_any_running() || world_.chance.one_in(100))) begin_calm();
  if (!is_calm_ && !is_any_running())  // what only happens to files at rest
    for (const Fault fault : {Fault::foreign_rows, Fault::damaged_snapshot})
      if (is_possible(fault) && world_.chance.one_in(3)) inject(fault);
  const bool is_impatient =
      !is_calm_ && std::ssize(jobs_) < 2 * faulty_launches_ && is_frozen(-1) && world_.chance.one_in(4);
  if ((!is_any_running() || is_impatient) && world_.broken.empty()) {
    if (is_calm_ && ++calm_launches_ > 6) world_.fail("six launches without faults did not finish");
    if (world_.broken.empty()) start_job();
  }
  world_.at(world_.now + world_.chance.between(100, 3000) * millisecond, [this] { look(); });
}

void Scenario::begin_calm() {
  world_.tell("no more faults");
  is_calm_ = true;
  disk_.faults = {};
  for (const auto& process : world_.processes)
    if (!process->is_over) kill(*process);
  for (auto& job : jobs_) job->was_seen_to_end = true;
}

Job& Scenario::start_job() {
  Chance& chance = world_.chance;
  Job& job = *jobs_.emplace_back(std::make_unique<Job>());
  job.number = static_cast<int>(std::ssize(jobs_));
  job.is_calm = is_calm_;
  job.began = world_.now;
  job.sweep = is_extended_ ? larger_ : sweep_;
  job.office.workers = static_cast<int>(chance.between(1, 4));
  parallel::LaunchRequest& request = job.request;
  request.file = result_name;
  request.header = job.sweep.header();
  request.space = job.sweep.view();
  request.extend = is_extended_;
  request.fresh = !is_calm_ && is_possible(Fault::fresh) && chance.one_in(3);
  if (request.fresh) ++outcome_.faults[static_cast<std::size_t>(Fault::fresh)];
  if (!is_calm_ && chance.one_in(8)) request.limit = chance.between(1, std::ssize(job.sweep.values));
  request.fsync = fsync_;
  request.snapshots = {.every = std::chrono::milliseconds(chance.one_in(2) ? 0 : chance.between(200, 5000)),
                       .most_share = 0.5};
  request.lock.on_wait = [](const std::string&) {};
  if (options_.mistake == Mistake::one_worker_waits_for_others) request.dispatch.make_ledger = forgetful;
  world_.tell("job " + std::to_string(job.number) + " starts on " + std::to_string(job.office.workers) +
              " workers" + (request.fresh ? ", fresh" : "") + (request.limit > 0 ? ", limited" : ""));
  for (int worker = 0; worker < job.office.workers; ++worker) {
    int host = static_cast<int>(chance.below(hosts_));
    for (int tries = 0; tries < 3 && is_frozen(host); ++tries) host = static_cast<int>(chance.below(hosts_));
    Process& process = world_.start(host, job.number, worker,
                                    [this, &job, worker] { work(job, worker, World::self().process); });
    job.processes.push_back(&process);
  }
  return job;
}

void Scenario::see_end(Job& job) {
  if (job.kind) {
    using Kind = LaunchOutcome::Kind;
    if (*job.kind == Kind::done || *job.kind == Kind::already_complete) {
      if (is_calm_ && job.is_calm) is_finished_ = true;
      return;
    }
  }
  if (job.is_calm && !job.refusal.empty()) world_.fail("refused without a fault: " + job.refusal);
}

// --- a worker

void Scenario::work(Job& job, int worker, Process& process) {
  const auto disk = disk_.seen_from(process);
  const SimMail mail(world_, job.office, worker);
  SimHost host(world_, process, [&mail] { return mail.has_any(); });
  const SimFiles files(*disk);
  parallel::LaunchWatch watch;
  watch.on_start = [&](const parallel::LaunchStart& start) {
    world_.tell(process.name() + " resumes " + std::to_string(start.resumed) + " of " +
                std::to_string(start.total));
    job.has_begun = true;
    if (job.request.fresh) ledger_.forget_all();
    if (job.request.fresh || job.sweep.key() != done_key_) done_key_.clear();
  };
  try {
    const auto outcome = parallel::launch(
        {mail, *disk, host, files}, job.request,
        [&](sweep::WorkSource& source, sweep::RowSink& sink) { run_points(job, process, source, sink); },
        std::move(watch));
    if (process.is_dead) return;
    ledger_.end(process, Ledger::End::in_order);
    if (worker != 0) return;
    job.kind = outcome.kind;
    constexpr std::array<const char*, 4> kinds{"complete", "done", "limited", "stopped"};
    world_.tell(process.name() + ": " + kinds.at(static_cast<std::size_t>(outcome.kind)));
    outcome_.finished += outcome.kind == LaunchOutcome::Kind::done ? 1 : 0;
    if (outcome.kind != LaunchOutcome::Kind::done && outcome.kind != LaunchOutcome::Kind::already_complete)
      return;
    for (const auto& other : jobs_)
      if (other->number > job.number && other->has_begun) return;  // which may have changed the file since
    done_key_ = job.sweep.key();
    check_file("said to be complete");
  } catch (const UserError& error) {
    if (process.is_dead) return;
    world_.tell(process.name() + " ends with " + std::to_string(error.exit_code()) + ": " + error.what());
    ledger_.end(process, Ledger::End::by_error);
    if (error.exit_code() != 5) world_.fail(std::string("a bug: ") + error.what());
    if (worker == 0) job.refusal = error.what();
  } catch (const std::exception& error) {
    if (!process.is_dead) world_.fail(std::string("a bug: ") + error.what());
  }
}

void Scenario::run_points(Job& job, Process& process, sweep::WorkSource& source, sweep::RowSink& sink) {
  while (const auto range = source.claim()) {
    ledger_.begin(process, -1);
    for (auto id = range->begin; id < range->end && !source.is_stopping_now(); ++id) {
      source.begin(id);
      const Value value = job.sweep.values.at(static_cast<std::size_t>(id));
      ledger_.begin(process, value);
      sweep::Row row = row_of(job.sweep, id);
      if (source.is_poisoned(id)) {
        row.report.status = training::Status::failed;
        row.report.step = SimTime(0);
      } else {
        if (!job.met_error && ledger_.is_promised_before(value, job.began))
          world_.fail("point " + std::to_string(id) + " (value " + std::to_string(value) +
                      ") is simulated again: its row was lost");
        world_.sleep(point_time_ / 2 + world_.chance.below(point_time_));
      }
      sink.accept({&row, 1});
      if (!process.is_dead) ledger_.accept(process, value);
    }
  }
  ledger_.begin(process, -1);
}

// --- promises

void Scenario::check_file(const std::string& when) {
  if (disk_.find(result_name) == nullptr) {
    if (!done_key_.empty()) world_.fail("the finished file is gone, " + when);
    return;
  }
  const auto contents = parsed(disk_.contents(result_name));
  if (!contents) {
    world_.fail("the result file is not whole, " + when);
    return;
  }
  if (!done_key_.empty() && (contents->state.sweep_key != done_key_ || !contents->state.complete))
    world_.fail("a file that is not complete stands for one that was, " + when);
  const Sweep& sweep = contents->state.sweep_key == sweep_.key() ? sweep_ : larger_;
  std::set<std::int64_t> numbers;
  for (const SimRow& row : contents->rows) {
    const bool is_known = row.number >= 0 && row.number < std::ssize(sweep.values);
    const Value value = is_known ? sweep.values[static_cast<std::size_t>(row.number)] : -1;
    if (!is_known || row.config_id != config_id_of(value))
      world_.fail("a foreign row is in the file, " + when);
    if (!numbers.insert(row.number).second) world_.fail("a row is twice in the file, " + when);
    if (row.status == 0 && row.payload != payload_of(sweep.row_key, value))
      world_.fail("a row of another sweep is in the file, " + when);
    if (row.status != 0 && !ledger_.may_be_given_up(value))
      world_.fail("an innocent point was given up, " + when);
  }
  if (contents->state.complete && std::ssize(contents->rows) != std::ssize(sweep.values))
    world_.fail("a row is missing in the complete file, " + when);
}

void Scenario::check_end() {
  check_file("at the end");
  const auto contents = parsed(disk_.contents(result_name));
  if (!contents || !contents->state.complete) world_.fail("no complete file at the end");
  for (const std::string& name : disk_.names()) {
    if (options_.mistake != Mistake::none) break;
    const bool is_link = disk_.find(name)->is_link;
    const bool is_ours = name.ends_with(".tmp") || name.ends_with(".lock") ||
                         (name.ends_with(".rows") && !is_possible(Fault::extend));  // of the other space
    if (is_ours && !is_link) world_.fail("left behind: " + name);
  }
  if (disk_.contents("/r/notes.txt") != "mine") world_.fail("a file that is not ours was touched");
}

SimulationOutcome simulate_launches(std::uint64_t seed, const SimulationOptions& options) {
  Scenario scenario(seed, options);
  return scenario.run();
}

}  // namespace echo::simulation
