// Gives memory that was freed back to the system.
#pragma once

namespace echo {

// The allocator keeps what was freed for what is asked for next; where the next is of other sizes, the
// process would hold both. Takes milliseconds; changes no result.
void return_freed_memory();

// From now on, buffers of 256 KiB and more go back when they are freed. By itself glibc raises the size from
// which they do to that of the largest buffer that was freed: a worker then held up to 5 MB more than it
// used.
void return_large_buffers();

}  // namespace echo
