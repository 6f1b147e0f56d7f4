// Where this source tree is. A name in one object file rather than a macro of every command: a compiler cache
// then serves any copy of the tree.
#pragma once

#include <string>

namespace echo::support {

[[nodiscard]] std::string source_dir();

}  // namespace echo::support
