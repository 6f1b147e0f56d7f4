// Gives memory that was freed back to the system.
#pragma once

namespace echo {

// The allocator keeps what was freed for what is asked for next; where the next is of other sizes, the
// process would hold both. Takes milliseconds; changes no result.
void return_freed_memory();

}  // namespace echo
