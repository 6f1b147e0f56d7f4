#include "parallel/session.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <thread>

#include "base/at.hpp"
#include "parallel/platform/launcher.hpp"

namespace echo::parallel {
namespace {

constexpr std::int64_t broadcast_piece = std::int64_t{1} << 30;  // MPI counts are 32-bit

// Most severe first; codes not named here are bugs, and as severe as 1.
constexpr std::array<int, 7> gravity{1, 5, 2, 75, 4, 3, 0};

int rank_of(int code) {
  const auto* const found = std::ranges::find(gravity, code);
  return found == gravity.end() ? 0 : static_cast<int>(found - gravity.begin());
}

}  // namespace

Session::Session(int& argc, char**& argv) : has_mpi_(may_have_peers()) {
  if (!has_mpi_) return;
  // Without mpirun, Open MPI starts a daemon to serve processes that might be spawned. None are; it costs a
  // tenth of a second, and whatever kills it ends this process (ess_singleton_isolated of ompi_info).
  setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
  // Within a node messages go through shared memory, whatever the network. Without a word Open MPI tries the
  // libraries of all networks first, some of which sleep for a fifth of a second.
  if (is_on_one_node()) setenv("OMPI_MCA_pml", "ob1", 0);
  int granted = 0;  // threads write journals, snapshots and heartbeats; MPI is the main thread's alone
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &granted);
  MPI_Comm_rank(MPI_COMM_WORLD, &worker_);
  MPI_Comm_size(MPI_COMM_WORLD, &workers_);
}

Session::~Session() {
  if (has_mpi_) MPI_Finalize();
}

void Session::wait_for_all() const {
  if (workers_ == 1) return;
  MPI_Request all_here;
  MPI_Ibarrier(MPI_COMM_WORLD, &all_here);
  for (int done = 0;;) {
    MPI_Test(&all_here, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
    std::this_thread::sleep_for(std::chrono::microseconds(500));
  }
}

int Session::agree_on_exit_code(int code) const {
  int mine = rank_of(code), gravest = mine;
  if (workers_ > 1) MPI_Allreduce(&mine, &gravest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return gravity[at(gravest)];
}

void Session::broadcast_bytes(std::string& bytes, int from) const {
  if (workers_ == 1) return;
  auto length = static_cast<std::int64_t>(bytes.size());
  MPI_Bcast(&length, 1, MPI_INT64_T, from, MPI_COMM_WORLD);
  bytes.resize(static_cast<std::size_t>(length));
  for (std::int64_t at = 0; at < length; at += broadcast_piece)
    MPI_Bcast(bytes.data() + at, static_cast<int>(std::min(broadcast_piece, length - at)), MPI_BYTE, from,
              MPI_COMM_WORLD);
}

void Session::share_failure(std::string& failure) const {
  if (workers_ == 1) return;
  wait_for_all();
  int mine = failure.empty() ? workers_ : worker_, lowest = workers_;
  MPI_Allreduce(&mine, &lowest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (lowest < workers_) broadcast_bytes(failure, lowest);
}

void Session::send(int to, int tag, std::span<const std::byte> bytes) const {
  MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, to, tag, MPI_COMM_WORLD);
}

std::optional<int> Session::waiting(int tag) const {
  if (workers_ == 1) return std::nullopt;
  int here = 0;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &here, &status);
  return here != 0 ? std::optional(status.MPI_SOURCE) : std::nullopt;
}

void Session::receive(int from, int tag, std::span<std::byte> bytes) const {
  MPI_Recv(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, from, tag, MPI_COMM_WORLD,
           MPI_STATUS_IGNORE);
}

void Session::abort(int exit_code) const {
  if (has_mpi_) MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::_Exit(exit_code);
}

std::string Session::library_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  const std::string all(text.data(), static_cast<std::size_t>(length));
  return all.substr(0, all.find(','));  // Open MPI appends its packager and build date
}

int graver(int a, int b) { return gravity[at(std::min(rank_of(a), rank_of(b)))]; }

}  // namespace echo::parallel
