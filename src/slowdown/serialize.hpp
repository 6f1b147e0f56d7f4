// Boost.Serialization of slowdown models, non-intrusive: a model is written as its index in the variant, then
// its fields. A new alternative needs only one serialize() here.
#pragma once

#include <boost/archive/archive_exception.hpp>
#include <boost/serialization/split_free.hpp>
#include <cstdint>
#include <utility>
#include <variant>

#include "base/plain_archive.hpp"
#include "slowdown/model.hpp"

namespace boost::serialization {

template <class Archive>
void serialize(Archive&, echo::slowdown::NoSlowdown&, unsigned) {}

template <class Archive>
void serialize(Archive& archive, echo::slowdown::Contention& model, unsigned) {
  archive& model.sm_per_channel& model.memory_interference& model.sustained_memory& model.collective_floor;
  archive& model.latency_under_load;
}

template <class Archive>
void save(Archive& archive, const echo::slowdown::Model& model, unsigned) {
  const auto place = static_cast<std::int32_t>(model.index());
  archive << place;
  std::visit([&archive](const auto& alternative) { archive << alternative; }, model);
}

template <class Archive, std::size_t... places>
void load_alternative(Archive& archive, echo::slowdown::Model& model, std::int32_t place,
                      std::index_sequence<places...>) {
  const auto read = [&archive, &model]<std::size_t i>() {
    archive >> model.emplace<i>();
    return true;
  };
  const bool known =
      ((place == static_cast<std::int32_t>(places) && read.template operator()<places>()) || ...);
  if (!known) throw archive::archive_exception(archive::archive_exception::unsupported_class_version);
}

template <class Archive>
void load(Archive& archive, echo::slowdown::Model& model, unsigned) {
  std::int32_t place = -1;
  archive >> place;
  load_alternative(archive, model, place,
                   std::make_index_sequence<std::variant_size_v<echo::slowdown::Model>>());
}

template <class Archive>
void serialize(Archive& archive, echo::slowdown::Model& model, unsigned version) {
  split_free(archive, model, version);
}

}  // namespace boost::serialization
