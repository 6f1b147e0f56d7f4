#include "packets/flits/allocator.hpp"

namespace echo::packets {

void Islip::clear() {
  for (const Request& one : requests_) {
    match_[at(one.input)] = -1;
    taken_[at(one.output)] = 0;
  }
  requests_.clear();
}

void Islip::match(std::int32_t rounds) {
  for (std::int32_t round = 0; round < rounds; ++round) {
    grant();
    accept(round == 0);
  }
}

void Islip::grant() {
  const std::int32_t inputs = length_of(input_pointer_);
  for (const Request& one : requests_) granted_[at(one.output)] = -1;
  for (const Request& one : requests_) {
    if (match_[at(one.input)] >= 0 || taken_[at(one.output)] != 0) continue;
    std::int32_t& granted = granted_[at(one.output)];
    const std::int32_t pointer = output_pointer_[at(one.output)];
    if (granted < 0 || behind(one.input, pointer, inputs) < behind(granted, pointer, inputs))
      granted = one.input;
  }
}

void Islip::accept(bool moves_pointers) {
  const std::int32_t inputs = length_of(input_pointer_), outputs = length_of(output_pointer_);
  for (const Request& one : requests_) accepted_[at(one.input)] = -1;
  for (const Request& one : requests_) {
    if (granted_[at(one.output)] != one.input) continue;
    std::int32_t& accepted = accepted_[at(one.input)];
    const std::int32_t pointer = input_pointer_[at(one.input)];
    if (accepted < 0 || behind(one.output, pointer, outputs) < behind(accepted, pointer, outputs))
      accepted = one.output;
  }
  for (const Request& one : requests_) {
    if (accepted_[at(one.input)] != one.output || match_[at(one.input)] >= 0) continue;
    match_[at(one.input)] = one.output;
    taken_[at(one.output)] = 1;
    if (!moves_pointers) continue;
    output_pointer_[at(one.output)] = (one.input + 1) % inputs;
    input_pointer_[at(one.input)] = (one.output + 1) % outputs;
  }
}

}  // namespace echo::packets
