// DualPipe's order, in eight steps as published (deepseek-ai/DualPipe, dualpipe.py and dualpipev.py, whose
// names are kept: F0, B0 of the chunk met first, F1, B1 of the other). With d = arm - 1 - depth stages deeper
// in the arm and n microbatches of each chunk:
//   1  2 d            F0
//   2  depth + 1      F0 F1
//   3  d              B1 (input gradients) W1 F1
//   4  n - 2 arm + depth + 1   pairs F0 B1, F1 B0; the deepest stage starts with F0, B1 one by one
//   5  d              B1, pair F1 B0
//   6  depth + 1      B1 B0, the second half of them input gradients alone
//   7  d              W, B0 (input gradients)
//   8  depth + 1      W
// Weight gradients run in the order of their input gradients, so that the k-th after step 3 is known.
//
// Step 4 repeats: in its i-th round the stage runs F0 of microbatch 2 arm - depth - 1 + i, B1 of d + i, F1
// of arm + i and B0 of i. The first pair needs round i - 1 of the stage before, the second needs round i of
// the stage after it, whose chain ends with a first pair.
//
// Sources: DeepSeek-V3, arXiv 2412.19437, section 3.2.1; github.com/deepseek-ai/DualPipe. Neglected: in step
// 3 the published code receives the input of F1 before it runs W1.
#include "timeline/patterns/dual.hpp"

#include <algorithm>

namespace echo::timeline {
namespace {

class Order {
 public:
  Order(const DualStage& stage, std::int32_t from, std::int32_t to, std::vector<Task>& out)
      : s_(stage), deeper_(stage.arm - 1 - stage.depth), from_(from), to_(to), out_(out) {}

  void run() {
    for (std::int32_t i = 0; i < 2 * deeper_; ++i) forward(0);
    for (std::int32_t i = 0; i <= s_.depth; ++i) forward(0), forward(1);
    for (std::int32_t i = 0; i < deeper_; ++i) {
      emit(TaskKind::backward_input, 1, backwards_[1]);
      emit(TaskKind::backward_weight, 1, backwards_[1]++);
      forward(1);
    }
    main();
    for (std::int32_t i = 0; i < deeper_; ++i) backward(1), pair(1, 0);
    const std::int32_t last[2] = {backwards_[0], backwards_[1]};
    for (std::int32_t i = 0; i < 2 * (s_.depth + 1); ++i)
      emit(i <= s_.depth ? TaskKind::backward : TaskKind::backward_input, i % 2 == 0 ? 1 : 0,
           backwards_[i % 2 == 0 ? 1 : 0]++);
    const auto weight = [&](std::int32_t k) {
      const std::int32_t turn = s_.depth + 1 + k;  // of the backwards in step 6
      if (k > s_.depth) return emit(TaskKind::backward_weight, 0, last[0] + k);
      const std::int32_t chunk = turn % 2 == 0 ? 1 : 0;
      emit(TaskKind::backward_weight, chunk, last[chunk] + turn / 2);
    };
    for (std::int32_t i = 0; i < deeper_; ++i) {
      weight(i);
      emit(TaskKind::backward_input, 0, backwards_[0]++);
    }
    for (std::int32_t i = 0; i <= s_.depth; ++i) weight(deeper_ + i);
  }

 private:
  void main() {
    const std::int32_t rounds = s_.microbatches - 2 * s_.arm + s_.depth + 1;
    if (deeper_ == 0) {
      forward(0), backward(1);
    } else {
      pair(0, 1);
    }
    pair(1, 0);
    // Rounds before `from_` are skipped.
    const std::int32_t jump = std::clamp((from_ - position_) / 4, 0, rounds - 1);
    position_ += 4 * jump;
    for (std::int32_t* count : {&forwards_[0], &forwards_[1], &backwards_[0], &backwards_[1]}) *count += jump;
    for (std::int32_t i = jump + 1; i < rounds && position_ < to_; ++i) pair(0, 1), pair(1, 0);
  }

  void forward(std::int32_t chunk) { emit(TaskKind::forward, chunk, forwards_[chunk]++); }
  void backward(std::int32_t chunk) { emit(TaskKind::backward, chunk, backwards_[chunk]++); }
  void pair(std::int32_t ahead, std::int32_t back) {
    emit(TaskKind::forward, ahead, forwards_[ahead]++, true);
    backward(back);
  }
  void emit(TaskKind kind, std::int32_t chunk, std::int32_t microbatch, bool with_next = false) {
    const std::int32_t at = position_++;
    if (at < from_ || at >= to_) return;
    out_.push_back(task_of(kind, chunk == 0 ? s_.first_chunk : s_.second_chunk, microbatch, with_next));
  }

  const DualStage& s_;
  std::int32_t deeper_, from_, to_;
  std::vector<Task>& out_;
  std::int32_t position_ = 0;
  std::int32_t forwards_[2] = {0, 0}, backwards_[2] = {0, 0};
};

}  // namespace

void append_dual(const DualStage& stage, std::int32_t from, std::int32_t to, std::vector<Task>& out) {
  Order(stage, from, to, out).run();
}

// Rounds 1 to n - 2 arm of step 4, which every stage has.
SteadyStretch steady_dual(const DualStage& stage) {
  const std::int32_t deeper = stage.arm - 1 - stage.depth;
  return {.first = 5 * deeper + 2 * (stage.depth + 1) + 4,
          .length = 4,
          .advance = 1,
          .repeats = std::max(0, stage.microbatches - 2 * stage.arm)};
}

}  // namespace echo::timeline
