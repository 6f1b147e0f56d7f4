// How tasks and outcomes travel between workers, and into the journal of a search.
#pragma once

#include <boost/serialization/array.hpp>
#include <boost/serialization/vector.hpp>

#include "base/plain_archive.hpp"
#include "search/task.hpp"

namespace boost::serialization {

template <class Archive>
void serialize(Archive& archive, echo::search::Node& node, unsigned) {
  auto& [stretch, group, tier, members, first_filed, fate, least, is_sliced, slice] = node;
  archive& stretch.begin& stretch.end& group& tier& members& first_filed& fate& least[0] & least[1] &
      is_sliced& slice;
}

template <class Archive>
void serialize(Archive& archive, echo::search::Outcome& outcome, unsigned) {
  auto& [parts, is_eligible, is_failed] = outcome;
  archive& parts& is_eligible& is_failed;
}

}  // namespace boost::serialization

#include <boost/serialization/level.hpp>
#include <boost/serialization/tracking.hpp>
BOOST_CLASS_IMPLEMENTATION(echo::search::Node, boost::serialization::object_serializable)
BOOST_CLASS_TRACKING(echo::search::Node, boost::serialization::track_never)
BOOST_CLASS_IMPLEMENTATION(echo::search::Outcome, boost::serialization::object_serializable)
BOOST_CLASS_TRACKING(echo::search::Outcome, boost::serialization::track_never)
