// Initialises and finalises MPI. Without mpirun it is a single worker. Only this folder uses MPI directly.
#pragma once

#include <span>
#include <string>

namespace echo::parallel {

class Session {
 public:
  Session(int& argc, char**& argv);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();  // finalizes; every worker must get here

  [[nodiscard]] int worker() const { return worker_; }
  [[nodiscard]] int workers() const { return workers_; }
  [[nodiscard]] bool is_first() const { return worker_ == 0; }

  void wait_for_all() const;  // leaves the core to others meanwhile, which MPI's own barrier does not
  // All workers leave with the gravest of their exit codes: 1, then 5, 2, 75, 4, 3, 0.
  [[nodiscard]] int agree_on_exit_code(int code) const;
  // Bytes of one worker to every worker; 64-bit length, pieces of 1 GiB.
  void broadcast_bytes(std::string& bytes, int from = 0) const;
  // After this, `failure` is that of the lowest worker which has one (not empty), on every worker.
  // Collective.
  void share_failure(std::string& failure) const;
  [[noreturn]] void abort(int exit_code) const;        // kills every worker, where one alone cannot go on
  [[nodiscard]] static std::string library_version();  // "Open MPI v4.1.4"

 private:
  int worker_ = 0, workers_ = 1;
};

// The graver of two exit codes.
[[nodiscard]] int graver(int a, int b);

}  // namespace echo::parallel
