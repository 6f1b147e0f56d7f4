// The disk that all hosts of the simulation share. What was not synced may be lost, in part and out of order,
// when the power fails; any operation may fail while a fault lasts; a process may die between any two of
// them, and in the middle of a write.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "parallel/platform/disk.hpp"
#include "tests/simulation/world.hpp"

namespace echo::simulation {

struct Inode {
  std::string data;
  std::string durable;  // as of the last sync
  bool is_link = false;
  int writer = 0;                     // host that wrote last
  std::int64_t maker = 0;             // process
  std::shared_ptr<std::string> page;  // where it is mapped, these are the bytes
};

struct DiskFaults {
  bool is_full = false, is_read_only = false;
  int error_one_in = 0;  // operations that fail with EIO; 0 = none
  int stall_one_in = 0;  // operations that take seconds
};

class SimDisk {
 public:
  explicit SimDisk(World& world) : world_(world) {}
  DiskFaults faults;
  // Mistakes of earlier versions: one temporary name for all, truncated where it is there; a launch that does
  // not look at its lock again; nothing is put aside.
  bool shares_temporaries = false, hides_loss_of_lock = false, keeps_damaged = false;
  // Called when a name has come to stand for something else: the result file is checked.
  std::function<void(Process&, const std::string& name)> on_rename = [](Process&, const std::string&) {};
  std::function<void(Process&, const std::string& name)> on_remove = [](Process&, const std::string&) {};
  std::int64_t assembler = 0;  // the process that last made a file beside its place; 0 = it is gone
  std::function<void(Process&)> on_lock = [](Process&) {};  // a process has taken the lock
  // A fault met a process.
  std::function<void(Process&, const std::string& name)> on_trouble = [](Process&, const std::string&) {};

  // The disk as a process sees it.
  [[nodiscard]] std::unique_ptr<parallel::Disk> seen_from(Process&);

  // --- from outside, without a step
  [[nodiscard]] const Inode* find(const std::string& name) const;
  [[nodiscard]] std::string contents(const std::string& name) const;
  void put(const std::string& name, const std::string& bytes);  // durable
  void put_link(const std::string& name);
  void erase(const std::string& name);
  [[nodiscard]] std::vector<std::string> names() const;
  // It is dead: what is stored while its stack is unwound goes nowhere.
  void unmap(const Process&);
  void fail_power();         // of everything
  void lose_host(int host);  // what it had not synced may be gone

 private:
  friend class SeenDisk;
  friend class SeenFile;
  struct NameChange {  // not synced; `to` null = removed
    std::string name;
    std::shared_ptr<Inode> to;
    std::string also_removed;  // by a rename, in the same step
  };
  // 0, or the fault that this operation meets. Steps.
  enum class Act : std::int8_t { reads, changes, needs_space };
  int begin(Process&, Act, const std::string& name);
  void set(const std::string& name, std::shared_ptr<Inode>, const std::string& also_removed = "");
  static std::string crashed(const Inode&, Chance&);
  World& world_;
  std::map<std::string, std::shared_ptr<Inode>> names_, durable_names_;
  std::map<std::string, bool> folders_;
  std::vector<NameChange> changes_;
};

}  // namespace echo::simulation
