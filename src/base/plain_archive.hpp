// How Boost.Serialization stores classes here: their members alone, without versions of classes and without
// looking for objects that are stored twice. Archives are read by the program that wrote them. Otherwise the
// library makes an object with tables of functions for every class in either direction, which is most of what
// compiling an archive takes.
#pragma once

#include <boost/serialization/level.hpp>
#include <boost/serialization/tracking.hpp>
#include <type_traits>

namespace boost::serialization {

template <class T>
requires std::is_class_v<T>
struct implementation_level_impl<const T> : mpl::int_<object_serializable> {
};

template <class T>
requires std::is_class_v<T>
struct tracking_level_impl<const T> : mpl::int_<track_never> {
};

}  // namespace boost::serialization
