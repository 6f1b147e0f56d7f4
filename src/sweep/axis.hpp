// The axes a sweep may cross (training/axis.hpp), under the names of this layer.
#pragma once

#include "training/axis.hpp"

namespace echo::sweep {

using training::Axis;
using training::axis_count;
using training::axis_table;
using training::AxisHolder;
using training::AxisInfo;
using training::AxisKind;
using training::info_of;
using training::is_text;

}  // namespace echo::sweep
