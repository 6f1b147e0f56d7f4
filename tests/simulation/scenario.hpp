// The user, the hosts and the faults of one simulation.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "parallel/launch/launch.hpp"
#include "tests/simulation/launch_simulation.hpp"
#include "tests/simulation/ledger.hpp"
#include "tests/simulation/sim_disk.hpp"
#include "tests/simulation/sim_files.hpp"
#include "tests/simulation/sim_host.hpp"

namespace echo::simulation {

inline const std::string result_name = "/r/o.h5";

// What is swept: the values of the points, in the order of their numbers.
struct Sweep {
  std::string row_key, space_key;
  std::vector<Value> values;
  [[nodiscard]] std::string key() const { return row_key + "/" + space_key; }
  [[nodiscard]] results::FileHeader header() const;
  [[nodiscard]] parallel::SpaceView view() const;
};
[[nodiscard]] std::uint64_t config_id_of(Value);
[[nodiscard]] std::int64_t payload_of(const std::string& row_key, Value);
[[nodiscard]] sweep::Row row_of(const Sweep&, sweep::PointIndex);

struct Job {
  int number = 0;
  Sweep sweep;
  parallel::LaunchRequest request;
  PostOffice office;
  std::vector<Process*> processes;
  Nanoseconds began = 0;
  int errors_at_file = 0;  // at the result file
  bool met_error = false, is_calm = false, is_ending = false, was_seen_to_end = false;
  bool has_locked = false, has_begun = false;  // has taken the lock; has looked back
  std::string refusal;                         // of worker 0
  std::optional<parallel::LaunchOutcome::Kind> kind;
  [[nodiscard]] bool is_over() const;
  [[nodiscard]] bool has_died() const;  // a worker, without a word
};

class Scenario {
 public:
  Scenario(std::uint64_t seed, const SimulationOptions&);
  ~Scenario();
  SimulationOutcome run();

 private:
  // The user.
  void look();  // now and then: starts a launch, or has what was wanted
  void begin_calm();
  Job& start_job();
  void see_end(Job&);
  [[nodiscard]] bool is_any_running() const;
  [[nodiscard]] bool is_frozen(int host) const;  // -1: any
  [[nodiscard]] Job& job_of(const Process&);
  // A worker of a launch.
  void work(Job&, int worker, Process&);
  void run_points(Job&, Process&, sweep::WorkSource&, sweep::RowSink&);
  // Faults.
  [[nodiscard]] bool is_possible(Fault) const;
  void maybe_fault();
  void inject(Fault);
  void kill(Process&);
  void end_job(Job&);  // what mpirun does when a worker is dead
  void fail_host(int host, bool power);
  void add_foreign_rows();
  void damage_snapshot();
  [[nodiscard]] bool have_journals_rows() const;
  [[nodiscard]] Process* any_process();
  // Promises.
  void check_file(const std::string& when);
  void check_end();

  SimulationOptions options_;
  World world_;
  SimDisk disk_;
  parallel::Fsync fsync_;
  Ledger ledger_;
  Sweep sweep_, larger_;
  bool is_extended_ = false, is_calm_ = false, is_finished_ = false;
  int hosts_ = 2, faulty_launches_ = 3, calm_launches_ = 0;
  std::int64_t fault_one_in_ = 500, assembly_fault_one_in_ = 500;  // steps
  std::vector<Fault> kinds_;
  Nanoseconds point_time_ = 0;
  std::vector<std::unique_ptr<Job>> jobs_;
  std::string done_key_;  // of a sweep whose file was said to be complete
  SimulationOutcome outcome_;
};

}  // namespace echo::simulation
