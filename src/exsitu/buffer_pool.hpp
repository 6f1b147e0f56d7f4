// A fixed number of buffers for CUPTI to fill. When all are in use, CUPTI drops and counts records: a traced
// program must not run out of memory because its disk is slow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace echo::exsitu {

class BufferPool {
 public:
  BufferPool(std::size_t buffers, std::size_t bytes_each);  // allocated as they are first asked for
  ~BufferPool();
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;

  [[nodiscard]] std::uint8_t* take();  // null: none is left
  void give_back(std::uint8_t*);
  [[nodiscard]] std::size_t bytes_each() const { return bytes_each_; }

 private:
  std::mutex mutex_;
  std::vector<std::uint8_t*> idle_;
  std::size_t may_be_made_;
  std::size_t bytes_each_;
};

}  // namespace echo::exsitu
