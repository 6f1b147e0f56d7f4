#include "tests/support/source_dir.hpp"

namespace echo::support {

std::string source_dir() { return ECHO_SOURCE_DIR; }

}  // namespace echo::support
