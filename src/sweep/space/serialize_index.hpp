// Boost.Serialization of a part of a space's index, so that each worker can build a share and send it.
#pragma once

#include <boost/serialization/vector.hpp>

#include "base/plain_archive.hpp"
#include "sweep/space/space_index.hpp"

namespace boost::serialization {

template <class Archive>
void serialize(Archive& archive, echo::sweep::IndexSegment& segment, unsigned) {
  auto& [first, count, stride, raws] = segment;
  archive& first& count& stride& raws;
}

template <class Archive>
void serialize(Archive& archive, echo::sweep::SpaceIndex& index, unsigned) {
  auto& [duplicates, segments] = index;
  archive& duplicates& segments;
}

}  // namespace boost::serialization
