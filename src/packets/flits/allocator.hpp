// Round-robin matching of inputs to outputs in iSLIP's way.
#pragma once

#include <cstdint>
#include <vector>

#include "base/at.hpp"

namespace echo::packets {

// Every output grants the first free input at or after its pointer that asks for it; every input accepts the
// first such output; accepted in the first round, both pointers move behind the match. Source: McKeown, "The
// iSLIP scheduling algorithm for input-queued switches", IEEE/ACM Transactions on Networking 7 (1999).
class Islip {
 public:
  Islip(std::int32_t inputs, std::int32_t outputs)
      : input_pointer_(at(inputs)),
        output_pointer_(at(outputs)),
        match_(at(inputs), -1),
        granted_(at(outputs), -1),
        accepted_(at(inputs), -1),
        taken_(at(outputs), 0) {}

  void request(std::int32_t input, std::int32_t output) { requests_.push_back({input, output}); }
  // Matches what was requested since the last call.
  void match(std::int32_t rounds);
  // The output of an input that requested, or -1.
  [[nodiscard]] std::int32_t output_of(std::int32_t input) const { return match_[at(input)]; }
  void clear();  // requests and matches

 private:
  struct Request {
    std::int32_t input, output;
  };
  static std::int32_t behind(std::int32_t place, std::int32_t pointer, std::int32_t count) {
    return place >= pointer ? place - pointer : place - pointer + count;
  }
  void grant();
  void accept(bool moves_pointers);

  std::vector<std::int32_t> input_pointer_, output_pointer_, match_, granted_, accepted_;
  std::vector<std::uint8_t> taken_;
  std::vector<Request> requests_;
};

}  // namespace echo::packets
