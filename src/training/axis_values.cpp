#include "training/axis_values.hpp"

#include <span>

#include "base/at.hpp"
#include "base/digest.hpp"

namespace echo::training {

TrainingConfig config_of(const AxisValues& values) {
  TrainingConfig config;
  for (const AxisInfo& info : axis_table) {
    const AxisMember& member = member_of(info.axis);
    if (member.set != nullptr) member.set(config, values[at(info.axis)]);
  }
  return config;
}

AxesRead::AxesRead(std::initializer_list<Axis> axes) : plain_(values_of(TrainingConfig{})) {
  for (const Axis axis : axes) add(axis);
}

void AxesRead::add(Axis axis) {
  if (axis != Axis::gpus) {
    bits_[at(axis)] = -1;
    return;
  }
  for (const Axis degree : {Axis::tp, Axis::pp, Axis::dp, Axis::cp}) bits_[at(degree)] = -1;
}

void AxesRead::add(const AxesRead& other) {
  for (std::size_t i = 0; i < bits_.size(); ++i) bits_[i] |= other.bits_[i];
}

TrainingConfig AxesRead::seen_of(TrainingConfig config, const AxisValues& all) const {
  for (std::size_t i = 0; i < all.size(); ++i)
    if (bits_[i] == 0 && all[i] != plain_[i]) member_of(axis_table[i].axis).set(config, plain_[i]);
  return config;
}

std::size_t AxisValuesHash::operator()(const AxisValues& values) const {
  return hash64(std::as_bytes(std::span(values)));
}

}  // namespace echo::training
