// The C++ type in which the elements of a dataset are stored.
#pragma once

#include <cstdint>

#include "storage/hdf5.hpp"

namespace echo::storage {

// Calls act with a value of that type. Unsigned integers travel as signed ones: all 64 bits stay as they are.
template <class Act>
auto with_type(ElementType type, Act act) {
  switch (type) {
    case ElementType::i1:
      return act(std::int8_t{});
    case ElementType::i2:
      return act(std::int16_t{});
    case ElementType::i4:
      return act(std::int32_t{});
    case ElementType::f4:
      return act(float{});
    case ElementType::f8:
      return act(double{});
    case ElementType::i8:
    case ElementType::u8:
      break;
  }
  return act(std::int64_t{});
}

}  // namespace echo::storage
