// A function that runs on a stack of its own and can be left and resumed: the threads of the simulation, one
// at a time, in an order that the seed decides.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace echo::simulation {

class Fiber {
 public:
  explicit Fiber(std::function<void()> body);
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;
  ~Fiber();  // contract: it was never started, or is over

  void resume();        // runs it until it leaves or ends
  static void leave();  // called in a fiber: back to whoever resumed it
  [[nodiscard]] bool has_started() const;
  [[nodiscard]] bool is_over() const;
  [[nodiscard]] static Fiber* running();
  void run();  // the entry on its own stack

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace echo::simulation
