#include "base/freed_memory.hpp"

#include <malloc.h>

namespace echo {

void return_freed_memory() { malloc_trim(0); }

void return_large_buffers() { mallopt(M_MMAP_THRESHOLD, 256 << 10); }

}  // namespace echo
