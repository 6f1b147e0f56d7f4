#include "tests/simulation/ledger.hpp"

#include <algorithm>
#include <limits>

#include "parallel/launch/quarantine.hpp"

namespace echo::simulation {

using parallel::Fsync;

void Ledger::begin(const Process& process, Value value) { writers_[&process].at = value; }

void Ledger::accept(const Process& process, Value value) {
  Writer& writer = writers_[&process];
  if (!writer.is_void) writer.rows.push_back({value, world_.active(process)});
}

void Ledger::crash(const Process& process) {
  if (const Value value = writers_[&process].at; value >= 0) crashed_.insert(value);
}

void Ledger::meets_error(const Process& process) {
  Writer& writer = writers_[&process];
  if (writer.error < 0) writer.error = world_.active(process);
}

void Ledger::end(const Process& process, End end) {
  Writer& writer = writers_[&process];
  const Nanoseconds active = world_.active(process);
  if (end == End::killed && writer.at >= 0) ++deaths_[writer.at];
  if (end == End::in_order)
    settle(process, writer, active, active);
  else  // a second in the buffer; with Fsync::second, another until the next sync
    settle(process, writer, active - second, active - (fsync_ == Fsync::second ? 2 : 1) * second);
  writers_.erase(&process);
}

void Ledger::take_over_from(const Process& process) {
  Writer& writer = writers_[&process];
  const Nanoseconds active = world_.active(process);
  if (!writer.is_void) settle(process, writer, active - second, active - 2 * second);
  writer.is_void = true;
}

void Ledger::settle(const Process& process, Writer& writer, Nanoseconds until, Nanoseconds power_until) {
  if (writer.error >= 0) {
    until = std::min(until, writer.error - second);
    power_until = std::min(power_until, writer.error - 2 * second);
  }
  for (const Row& row : writer.rows) {
    if (row.active > until) continue;
    const bool survives = fsync_ != Fsync::never && row.active <= power_until;
    const auto [place, is_new] =
        promises_.try_emplace(row.value, Promise{world_.now, process.host, survives});
    if (!is_new) place->second.survives_power |= survives;
  }
  writer.rows.clear();
}

void Ledger::forget_all() {
  promises_.clear();
  for (auto& [process, writer] : writers_) writer.is_void = true, writer.rows.clear();
}

void Ledger::fail_power() {
  std::erase_if(promises_, [](const auto& promise) { return !promise.second.survives_power; });
}

void Ledger::lose_host(int host) {
  std::erase_if(promises_, [host](const auto& promise) {
    return promise.second.host == host && !promise.second.survives_power;
  });
}

bool Ledger::is_promised_before(Value value, Nanoseconds when) const {
  const auto found = promises_.find(value);
  return found != promises_.end() && found->second.made < when;
}

bool Ledger::may_be_given_up(Value value) const {
  const auto deaths = deaths_.find(value);
  return crashed_.contains(value) ||
         (deaths != deaths_.end() && deaths->second >= parallel::deaths_to_poison);
}

}  // namespace echo::simulation
