// The functions of xgboost's C interface (include/xgboost/c_api.h of dmlc/xgboost 1.6), loaded when the first
// tree is trained. Linked, the library and those it needs would take 3 MiB of every worker of a sweep, which
// trains nothing.
#pragma once

#include <xgboost/c_api.h>

namespace echo::learn {

struct XgboostLibrary {
  decltype(&XGBGetLastError) last_error;
  decltype(&XGDMatrixCreateFromMat) create_matrix;
  decltype(&XGDMatrixSetFloatInfo) set_info;
  decltype(&XGDMatrixFree) free_matrix;
  decltype(&XGBoosterCreate) create;
  decltype(&XGBoosterSetParam) set_parameter;
  decltype(&XGBoosterUpdateOneIter) update;
  decltype(&XGBoosterPredictFromDMatrix) predict;
  decltype(&XGBoosterSaveModelToBuffer) save;
  decltype(&XGBoosterFree) free;
};

// Stays loaded until the process ends. UserError, 2: the library is not installed or lacks a function.
[[nodiscard]] const XgboostLibrary& xgboost_library();

}  // namespace echo::learn
