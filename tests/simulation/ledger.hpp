// What the launches have promised: which rows must not be simulated again, and when a point may be given up.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "parallel/journal/journal.hpp"
#include "tests/simulation/world.hpp"

namespace echo::simulation {

using Value = std::int64_t;  // what a point is, whatever its number in a space

class Ledger {
 public:
  Ledger(World& world, parallel::Fsync fsync) : world_(world), fsync_(fsync) {}

  void begin(const Process&, Value);   // it is at this point from now on
  void accept(const Process&, Value);  // the row is handed to the journal
  void meets_error(const Process&);    // its disk fails or stalls: nothing is promised from a second before
  void crash(const Process&);          // a fatal signal reached it

  enum class End : std::int8_t { killed, in_order, by_error };
  void end(const Process&, End);
  // Another launch took over: what it writes from now on is its own affair.
  void take_over_from(const Process&);
  void forget_all();         // --fresh
  void fail_power();         // of everything; all processes have ended
  void lose_host(int host);  // of one; as above

  [[nodiscard]] bool is_promised_before(Value, Nanoseconds) const;
  [[nodiscard]] bool may_be_given_up(Value) const;

 private:
  struct Row {
    Value value;
    Nanoseconds active;
  };
  struct Writer {
    std::vector<Row> rows;
    Nanoseconds error = -1;
    bool is_void = false;
    Value at = -1;
  };
  struct Promise {
    Nanoseconds made = 0;
    int host = 0;
    bool survives_power = false;
  };
  void settle(const Process&, Writer&, Nanoseconds until, Nanoseconds power_until);
  World& world_;
  parallel::Fsync fsync_;
  std::map<const Process*, Writer> writers_;
  std::map<Value, Promise> promises_;
  std::map<Value, int> deaths_;
  std::set<Value> crashed_;
};

}  // namespace echo::simulation
