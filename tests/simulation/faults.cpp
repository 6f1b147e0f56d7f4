// The faults of the simulation: each may come between any two steps.
#include <algorithm>
#include <csignal>

#include "parallel/journal/journal_frames.hpp"
#include "parallel/journal/rows_frame.hpp"
#include "tests/simulation/scenario.hpp"

namespace echo::simulation {

const char* name_of(Fault fault) {
  constexpr std::array<const char*, fault_count> names{
      "kill a worker", "crash in a point", "kill a job",     "freeze a worker",
      "freeze a host", "lose a host",      "power failure",  "stop",
      "stop at once",  "disk full",        "disk read-only", "disk errors",
      "disk stalls",   "second launch",    "foreign rows",   "damaged snapshot",
      "links",         "extend",           "fresh"};
  return names.at(static_cast<std::size_t>(fault));
}

void Scenario::maybe_fault() {
  Chance& chance = world_.chance;
  const bool assembles = disk_.assembler != 0 && disk_.assembler == world_.last_pid;
  if (!chance.one_in(assembles ? assembly_fault_one_in_ : fault_one_in_)) return;
  const bool freezes = assembles && is_possible(Fault::freeze_host) && chance.one_in(2);
  inject(freezes ? Fault::freeze_host : kinds_[static_cast<std::size_t>(chance.below(std::ssize(kinds_)))]);
}

Process* Scenario::any_process() {
  std::vector<Process*> living;
  for (const auto& process : world_.processes)
    if (!process->is_over) living.push_back(process.get());
  return living.empty() ? nullptr : living[static_cast<std::size_t>(world_.chance.below(std::ssize(living)))];
}

void Scenario::kill(Process& process) {
  if (process.is_over) return;
  ledger_.end(process, Ledger::End::killed);
  world_.kill(process);
}

void Scenario::end_job(Job& job) {
  const bool asks_first = world_.chance.one_in(2);
  for (Process* const process : job.processes) {
    if (process->is_over) continue;
    if (process->host_frozen_until > world_.now) {  // nothing reaches it until its host is back
      world_.at(process->host_frozen_until + millisecond, [this, process] { kill(*process); });
      continue;
    }
    if (asks_first && process->crash_place != nullptr && *process->crash_place == 0)
      *process->crash_place = SIGTERM;
    kill(*process);
  }
}

void Scenario::fail_host(int host, bool power) {
  for (const auto& process : world_.processes)
    if (!process->is_over && (power || process->host == host)) kill(*process);
  if (power)
    disk_.fail_power(), ledger_.fail_power();
  else
    disk_.lose_host(host), ledger_.lose_host(host);
  check_file("after a host or the power failed");
}

// Frames of another sweep at the end of a journal that nobody writes: with their header and without, and one
// under our key whose rows are of other points.
void Scenario::add_foreign_rows() {
  if (is_any_running()) return;
  Sweep other{"other", "s0", sweep_.values};
  const Sweep& ours = is_extended_ ? larger_ : sweep_;
  const bool is_unbound = options_.mistake == Mistake::unbound_rows;
  std::string frames;
  if (world_.chance.one_in(2) && !is_unbound)
    frames += parallel::framed(parallel::header_payload({.sweep = other.header()}));
  // Nothing tells rows under our key from ours once the space that they were of is gone.
  const bool bears_our_key = is_unbound || (!is_possible(Fault::extend) && world_.chance.one_in(4));
  if (!bears_our_key) other.values = ours.values;
  const Sweep& bound = is_unbound ? ours : other;
  std::vector<sweep::Row> rows;
  for (int i = 0; i < 3; ++i) {
    sweep::Row row = row_of(bound, world_.chance.below(std::ssize(bound.values)));
    row.report.step = SimTime(payload_of("other", row.id));
    if (!is_unbound) row.config_id ^= bears_our_key ? 1 : 0;
    rows.push_back(row);
  }
  const auto key = parallel::frame_key(bears_our_key ? ours.header() : other.header());
  frames += parallel::framed(parallel::rows_payload(key, rows));
  for (const std::string& name : disk_.names())
    if (name.ends_with(".rows") && parallel::first_frame(disk_.contents(name))) {
      world_.tell("rows of another sweep are appended to " + name);
      disk_.put(name, disk_.contents(name) + frames);
      return;
    }
}

bool Scenario::have_journals_rows() const {
  for (const std::string& name : disk_.names()) {
    if (!name.ends_with(".rows")) continue;
    const std::string bytes = disk_.contents(name);
    std::string_view rest = bytes;
    while (const auto payload = parallel::first_frame(rest)) {
      if (parallel::read_index(*payload)) return true;
      rest.remove_prefix(parallel::claimed_length(rest));
    }
  }
  return false;
}

// Where the journals have the rows too: otherwise they are lost with the file.
void Scenario::damage_snapshot() {
  const auto contents = parsed(disk_.contents(result_name));
  if (!contents || contents->state.complete || !have_journals_rows() || is_any_running()) return;
  world_.tell("a bit of the snapshot flips");
  std::string bytes = disk_.contents(result_name);
  bytes[static_cast<std::size_t>(world_.chance.below(std::ssize(bytes)))] ^= 16;
  disk_.put(result_name, bytes);
}

void Scenario::inject(Fault fault) {
  Chance& chance = world_.chance;
  ++outcome_.faults[static_cast<std::size_t>(fault)];
  const auto window = [&](auto set, auto reset) {
    world_.tell(std::string(name_of(fault)) + " begins");
    set();
    world_.at(world_.now + chance.between(1, 5000) * millisecond, [this, reset, fault] {
      world_.tell(std::string(name_of(fault)) + " is over");
      reset();
    });
  };
  Process* const process = any_process();
  switch (fault) {
    case Fault::kill_worker:
      if (process != nullptr) kill(*process);
      break;
    case Fault::crash_in_point:
      if (process == nullptr || process->crash_place == nullptr) break;
      *process->crash_place = SIGSEGV;
      ledger_.crash(*process);
      kill(*process);
      break;
    case Fault::kill_job:
      if (process != nullptr) end_job(job_of(*process));
      break;
    case Fault::freeze_worker:
      if (process != nullptr) world_.freeze(*process, world_.now + chance.between(1, 90) * second);
      break;
    case Fault::freeze_host:
      if (process == nullptr) break;
      for (const auto& other : world_.processes)
        if (!other->is_over && other->host == process->host) {
          other->host_frozen_until = world_.now + chance.between(20, 120) * second;
          world_.freeze(*other, other->host_frozen_until);
        }
      break;
    case Fault::lose_host:
      fail_host(static_cast<int>(chance.below(hosts_)), false);
      break;
    case Fault::power:
      fail_host(0, true);
      break;
    case Fault::stop:
    case Fault::stop_at_once:
      if (process == nullptr) break;
      world_.tell("job " + std::to_string(process->job) + " is asked to stop");
      for (const auto& other : world_.processes)
        if (!other->is_over && other->job == process->job) {
          other->is_asked_to_stop = true;
          other->is_asked_again = fault == Fault::stop_at_once;
          if (chance.one_in(2) && other->crash_place != nullptr && *other->crash_place == 0)
            *other->crash_place = SIGTERM;
        }
      break;
    case Fault::disk_full:
      window([this] { disk_.faults.is_full = true; }, [this] { disk_.faults.is_full = false; });
      break;
    case Fault::disk_read_only:
      window([this] { disk_.faults.is_read_only = true; }, [this] { disk_.faults.is_read_only = false; });
      break;
    case Fault::disk_errors:
      window([&] { disk_.faults.error_one_in = static_cast<int>(chance.between(1, 30)); },
             [this] { disk_.faults.error_one_in = 0; });
      break;
    case Fault::disk_stalls:
      window([this] { disk_.faults.stall_one_in = 10; }, [this] { disk_.faults.stall_one_in = 0; });
      break;
    case Fault::second_launch:
      if (std::ssize(jobs_) < 2 * faulty_launches_) start_job();
      break;
    case Fault::foreign_rows:
      add_foreign_rows();
      break;
    case Fault::damaged_snapshot:
      damage_snapshot();
      break;
    case Fault::links:
      disk_.put_link(result_name + ".journal/" +
                     parallel::worker_file_name(0, static_cast<int>(chance.below(2)), ".rows"));
      disk_.put_link(result_name + "." + "0123456789abcdef.tmp");
      break;
    case Fault::extend:
      is_extended_ = true;
      break;
    case Fault::fresh:  // where a launch starts
      break;
  }
}

}  // namespace echo::simulation
