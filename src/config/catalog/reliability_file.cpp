#include "config/catalog/reliability_file.hpp"

#include <toml++/toml.h>

#include <array>

namespace echo::config {
namespace {

using campaign::Reliability;

constexpr Range some_time{1e-3, 1e12}, any_time{0.0, 1e9}, some_bandwidth{1.0, 1e18};

constexpr std::array<ReliabilityKey, 6> keys{{
    {"gpu_mtbf", UnitKind::duration, some_time, &Reliability::gpu_mtbf,
     "mean time between failures of the job per GPU, such as \"45000 h\"; one of gpu_mtbf, node_mtbf, "
     "job_mtbf"},
    {"node_mtbf", UnitKind::duration, some_time, &Reliability::node_mtbf, "the same per node"},
    {"job_mtbf", UnitKind::duration, some_time, &Reliability::job_mtbf,
     "the same of the whole job, whatever its size"},
    {"detection", UnitKind::duration, any_time, &Reliability::detection,
     "from a failure until it is noticed"},
    {"restart", UnitKind::duration, any_time, &Reliability::restart,
     "from there until the steps go on; includes reading the checkpoint unless read_bandwidth is given"},
    {"repair", UnitKind::duration, some_time, &Reliability::repair,
     "mean time until a failed node is back; with spares (default: a node always stands by)"},
}};

constexpr std::array<ReliabilityKey, 5> of_checkpoint{{
    {"write_bandwidth", UnitKind::bytes_per_second, some_bandwidth, &Reliability::write_bandwidth,
     "of the storage, all nodes together"},
    {"node_write_bandwidth", UnitKind::bytes_per_second, some_bandwidth, &Reliability::node_write_bandwidth,
     "of one node to the storage"},
    {"write_time", UnitKind::duration, any_time, &Reliability::write_time,
     "instead of bandwidths: until a checkpoint is on storage"},
    {"stall", UnitKind::duration, any_time, &Reliability::stall,
     "of mode async: the copy to host memory (default: the share of each GPU at the rate of its host link)"},
    {"read_bandwidth", UnitKind::bytes_per_second, some_bandwidth, &Reliability::read_bandwidth,
     "of the storage, at a restart"},
}};

void read_every(TableReader& checkpoint, Reliability& out) {
  const toml::node* const node = checkpoint.node("every", Presence::optional);
  if (node == nullptr) return;
  if (node->value_or(std::string()) == "best") {
    out.every = 0.0;
    return;
  }
  double every = 0.0;
  if (checkpoint.quantity("every", UnitKind::duration, some_time, every)) out.every = every;
}

void read_checkpoint(TableReader& table, Reliability& out) {
  const toml::table* const inner = table.table("checkpoint", Presence::optional);
  if (inner == nullptr) return;
  Problems& problems = table.problems();
  TableReader checkpoint(*inner, place_of(*inner), "checkpoint", problems);
  read_every(checkpoint, out);
  int mode = -1;
  checkpoint.choice("mode", {"blocking", "async"}, mode, Presence::optional);
  if (mode >= 0) out.mode = static_cast<campaign::CheckpointMode>(mode), out.mode_is_given = true;
  for (const ReliabilityKey& key : of_checkpoint)
    checkpoint.quantity(key.name, key.unit, key.range, out.*key.member, Presence::optional);
  checkpoint.finish();
  const bool has_bandwidth = inner->contains("write_bandwidth") || inner->contains("node_write_bandwidth");
  if (has_bandwidth && inner->contains("write_time"))
    problems.error(place_of(*inner->get("write_time")),
                   "a checkpoint has a write_time or a bandwidth, not both", "remove one of them");
  if (inner->contains("stall") && out.mode == campaign::CheckpointMode::blocking && out.mode_is_given)
    problems.error(place_of(*inner->get("stall")), "stall belongs to mode \"async\"",
                   "remove it: a blocking checkpoint stalls training for its whole write");
}

// gpu_mtbf, node_mtbf and job_mtbf say one thing in three ways.
void check_one_mtbf(const toml::table& table, Problems& problems) {
  const toml::node* first = nullptr;
  for (const Entry& entry : in_file_order(table)) {
    const std::string_view name = entry.key->str();
    if (name != "gpu_mtbf" && name != "node_mtbf" && name != "job_mtbf") continue;
    if (first != nullptr)
      problems.error(place_of(*entry.key), "two times between failures are given",
                     "keep one of gpu_mtbf, node_mtbf and job_mtbf");
    first = entry.node;
  }
}

// The values of a file, those of `checkpoint` included, say where they come from.
void require_sources(const toml::table& table, Problems& problems) {
  for (const Entry& entry : in_file_order(table)) {
    const std::string_view name = entry.key->str();
    const toml::table* const value = entry.node->as_table();
    if (name == "checkpoint" && value != nullptr) {
      require_sources(*value, problems);
      continue;
    }
    const bool is_sourced =
        value != nullptr && value->contains("value") && value->contains("source") && value->contains("grade");
    if (!is_sourced)
      problems.error(
          place_of(*entry.node), "\"" + std::string(name) + "\" has no value with its source",
          "write " + std::string(name) + " = { value = \"10 min\", source = \"...\", grade = \"assumed\" }");
  }
}

}  // namespace

std::span<const ReliabilityKey> reliability_keys() { return keys; }
std::span<const ReliabilityKey> checkpoint_keys() { return of_checkpoint; }

void read_reliability(const toml::table& table, const std::string& what, Problems& problems,
                      Reliability& out) {
  TableReader reader(table, place_of(table), what, problems);
  reader.text("preset", out.preset, Presence::optional);
  for (const ReliabilityKey& key : keys)
    reader.quantity(key.name, key.unit, key.range, out.*key.member, Presence::optional);
  reader.integer("spares", {0.0, 100'000.0}, out.spares, Presence::optional);
  read_checkpoint(reader, out);
  reader.finish();
  check_one_mtbf(table, problems);
  const toml::node *const repair = table.get("repair"), *const spares = table.get("spares");
  if (repair != nullptr && spares == nullptr)
    problems.error(place_of(*repair), "repair matters only where spare nodes can run out",
                   "add spares = 2, or spares = 0 for none");
  if (spares != nullptr && repair == nullptr)
    problems.error(place_of(*spares), "spares do not run out without a repair time",
                   "add repair = \"24 h\", or remove spares: then a node always stands by");
}

ReliabilityFile read_reliability_file(TableReader& file) {
  ReliabilityFile read;
  std::string text;
  file.text("name", read.name);
  for (const char* about : {"source", "date"}) file.text(about, text);
  if (const toml::table* const table = file.table("reliability")) {
    read_reliability(*table, "reliability of \"" + read.name + "\"", file.problems(), read.spec);
    require_sources(*table, file.problems());
  }
  file.finish();
  return read;
}

}  // namespace echo::config
