#include "base/freed_memory.hpp"

#include <malloc.h>

namespace echo {

void return_freed_memory() { malloc_trim(0); }

}  // namespace echo
