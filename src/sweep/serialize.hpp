// Boost.Serialization of a sweep's spec, non-intrusive. A structured binding names every member: a new one
// does not compile until it is sent along.
#pragma once

#include <boost/serialization/string.hpp>
#include <boost/serialization/vector.hpp>

#include "sweep/spec.hpp"

namespace boost::serialization {

template <class Archive>
void serialize(Archive& archive, echo::sweep::AxisValue& value, unsigned) {
  auto& [number, text] = value;
  archive& number& text;
}

template <class Archive>
void serialize(Archive& archive, echo::sweep::AxisColumn& column, unsigned) {
  auto& [axis, values] = column;
  archive& axis& values;
}

template <class Archive>
void serialize(Archive& archive, echo::sweep::Dimension& dimension, unsigned) {
  auto& [columns] = dimension;
  archive& columns;
}

template <class Archive>
void serialize(Archive& archive, echo::sweep::Rule& rule, unsigned) {
  auto& [kind, name, expression, why] = rule;
  archive& kind& name& expression& why;
}

template <class Archive>
void serialize(Archive& archive, echo::sweep::SweepSpec& spec, unsigned) {
  auto& [name, title, output_file, schema, seed, dimensions, rules, batch_in_tokens] = spec;
  archive& name& title& output_file& schema& seed& dimensions& rules& batch_in_tokens;
}

}  // namespace boost::serialization
