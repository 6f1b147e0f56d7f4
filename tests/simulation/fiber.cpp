// swapcontext() saves the mask of signals with two system calls, most of the price of a step; so it starts a
// fiber, and _setjmp()/_longjmp(), which save registers only, go on with it. AddressSanitizer must be told of
// every switch, and gets swapcontext() throughout. What the C++ library knows of exceptions being handled is
// per thread, and is put aside with the stack.
#undef _FORTIFY_SOURCE  // its longjmp() refuses to go to another stack
#include "tests/simulation/fiber.hpp"

#include <cxxabi.h>
#include <ucontext.h>

#include <csetjmp>
#include <cstddef>
#include <utility>
#include <vector>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif

namespace echo::simulation {
namespace {

constexpr std::size_t stack_bytes = std::size_t{256} << 10;

// Stacks are used again: making one costs more than many steps.
std::vector<std::unique_ptr<char[]>> spare_stacks;
Fiber* running_fiber = nullptr;

std::unique_ptr<char[]> take_stack() {
  if (spare_stacks.empty()) return std::make_unique_for_overwrite<char[]>(stack_bytes);
  auto stack = std::move(spare_stacks.back());
  spare_stacks.pop_back();
  return stack;
}

// As abi::__cxa_get_globals() has it.
struct Handled {
  void* caught = nullptr;
  unsigned int uncaught = 0;
};

void exchange_handled(Handled& saved) {
  auto* const now = reinterpret_cast<Handled*>(abi::__cxa_get_globals());
  std::swap(now->caught, saved.caught);
  std::swap(now->uncaught, saved.uncaught);
}

}  // namespace

struct Fiber::State {
  std::function<void()> body;
  std::unique_ptr<char[]> stack;
  ucontext_t own{}, caller{};
  std::jmp_buf own_registers{}, caller_registers{};
  Handled handled;
  bool has_started = false, is_over = false;

#ifdef __SANITIZE_ADDRESS__
  void* own_fake = nullptr;
  void* caller_fake = nullptr;
  const void* caller_bottom = nullptr;
  std::size_t caller_bytes = 0;
  void enter() {
    __sanitizer_start_switch_fiber(&caller_fake, stack.get(), stack_bytes);
    swapcontext(&caller, &own);
    __sanitizer_finish_switch_fiber(caller_fake, nullptr, nullptr);
  }
  void exit() {
    __sanitizer_start_switch_fiber(is_over ? nullptr : &own_fake, caller_bottom, caller_bytes);
    swapcontext(&own, &caller);
    __sanitizer_finish_switch_fiber(own_fake, &caller_bottom, &caller_bytes);
  }
  void entered() { __sanitizer_finish_switch_fiber(nullptr, &caller_bottom, &caller_bytes); }
#else
  void enter() {
    if (_setjmp(caller_registers) != 0) return;
    if (is_prepared) {
      is_prepared = false;
      setcontext(&own);
    }
    _longjmp(own_registers, 1);
  }
  void exit() {
    if (_setjmp(own_registers) == 0) _longjmp(caller_registers, 1);
  }
  void entered() {}
  bool is_prepared = true;
#endif

  void run() {
    entered();
    body();
    is_over = true;
    exit();
  }
};

static void run_running_fiber();

Fiber::Fiber(std::function<void()> body) : state_(new State{.body = std::move(body)}) {}

Fiber::~Fiber() {
  if (state_->stack) spare_stacks.push_back(std::move(state_->stack));
}

void Fiber::resume() {
  State& s = *state_;
  Fiber* const before = std::exchange(running_fiber, this);
  if (!std::exchange(s.has_started, true)) {
    s.stack = take_stack();
    getcontext(&s.own);
    s.own.uc_stack.ss_sp = s.stack.get();
    s.own.uc_stack.ss_size = stack_bytes;
    s.own.uc_link = nullptr;
    makecontext(&s.own, run_running_fiber, 0);
  }
  exchange_handled(s.handled);
  s.enter();
  exchange_handled(s.handled);
  running_fiber = before;
}

void Fiber::leave() { running_fiber->state_->exit(); }
void Fiber::run() { state_->run(); }

static void run_running_fiber() { running_fiber->run(); }

bool Fiber::has_started() const { return state_->has_started; }
bool Fiber::is_over() const { return state_->is_over; }
Fiber* Fiber::running() { return running_fiber; }

}  // namespace echo::simulation
