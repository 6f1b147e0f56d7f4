#ifdef ECHO_HAS_XGBOOST

#include "learn/fit/xgboost_library.hpp"

#include "base/error.hpp"

#include <dlfcn.h>

#include <string>

namespace echo::learn {

namespace {

constexpr const char* shared_object = "libxgboost.so.0";

[[noreturn]] void refuse() {
  const char* why = dlerror();
  throw UserError(
      std::string("xgboost, which trains trees, cannot be loaded: ") + (why == nullptr ? shared_object : why),
      "install libxgboost-dev, or train a network (mlp)");
}

template <class Function>
void load(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) refuse();
}

XgboostLibrary load_library() {
  void* library = dlopen(shared_object, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) refuse();
  XgboostLibrary functions{};
  load(library, "XGBGetLastError", functions.last_error);
  load(library, "XGDMatrixCreateFromMat", functions.create_matrix);
  load(library, "XGDMatrixSetFloatInfo", functions.set_info);
  load(library, "XGDMatrixFree", functions.free_matrix);
  load(library, "XGBoosterCreate", functions.create);
  load(library, "XGBoosterSetParam", functions.set_parameter);
  load(library, "XGBoosterUpdateOneIter", functions.update);
  load(library, "XGBoosterPredictFromDMatrix", functions.predict);
  load(library, "XGBoosterSaveModelToBuffer", functions.save);
  load(library, "XGBoosterFree", functions.free);
  return functions;
}

}  // namespace

const XgboostLibrary& xgboost_library() {
  static const XgboostLibrary library = load_library();
  return library;
}

}  // namespace echo::learn

#endif
