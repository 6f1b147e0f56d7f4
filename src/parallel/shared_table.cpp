// One copy per node: the workers of a node open one shared window, allocated entirely by the node's first
// worker. The first workers receive the bytes by a broadcast among themselves; the others only map them.
#include "parallel/shared_table.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace echo::parallel {
namespace {

constexpr std::int64_t broadcast_piece = std::int64_t{1} << 30;

}  // namespace

struct SharedTable::Window {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Win window = MPI_WIN_NULL;
};

SharedTable::SharedTable(const Session& session, const std::string& bytes) {
  if (session.workers() == 1) {
    const auto all = std::as_bytes(std::span(bytes));
    own_.assign(all.begin(), all.end());
    bytes_ = own_;
    return;
  }
  window_ = std::make_unique<Window>();
  auto length = static_cast<std::int64_t>(bytes.size());
  MPI_Bcast(&length, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);

  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, session.worker(), MPI_INFO_NULL, &window_->node);
  int place = 0;
  MPI_Comm_rank(window_->node, &place);
  const bool leads = place == 0;
  void* mine = nullptr;
  MPI_Win_allocate_shared(leads ? static_cast<MPI_Aint>(std::max<std::int64_t>(length, 1)) : 0, 1,
                          MPI_INFO_NULL, window_->node, &mine, &window_->window);
  MPI_Aint size = 0;
  int unit = 1;
  void* table = nullptr;
  MPI_Win_shared_query(window_->window, 0, &size, &unit, &table);

  MPI_Comm leaders = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, leads ? 0 : MPI_UNDEFINED, session.worker(), &leaders);
  MPI_Win_fence(0, window_->window);
  if (leads) {
    if (session.is_first()) std::memcpy(table, bytes.data(), bytes.size());
    for (std::int64_t at = 0; at < length; at += broadcast_piece)
      MPI_Bcast(static_cast<char*>(table) + at, static_cast<int>(std::min(broadcast_piece, length - at)),
                MPI_BYTE, 0, leaders);
    MPI_Comm_free(&leaders);
  }
  MPI_Win_fence(0, window_->window);
  bytes_ = {static_cast<const std::byte*>(table), static_cast<std::size_t>(length)};
}

SharedTable::~SharedTable() {
  if (window_ == nullptr) return;
  MPI_Win_free(&window_->window);
  MPI_Comm_free(&window_->node);
}

}  // namespace echo::parallel
