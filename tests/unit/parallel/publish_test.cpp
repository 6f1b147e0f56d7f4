#include "parallel/launch/publish.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <functional>

#include "base/error.hpp"
#include "parallel/journal/claim_page.hpp"
#include "parallel/journal/journal_rows.hpp"
#include "parallel/launch/look_back.hpp"
#include "results/read_rows.hpp"
#include "results/rows_digest.hpp"
#include "tests/support/journal_folder.hpp"

namespace echo::parallel {
namespace {

constexpr LockOptions fast{.beat = std::chrono::milliseconds(20), .beats_watched = 2};

// A lock that anything may happen before or after a look at.
struct TestFence : Fence {
  std::function<void()> before = [] {}, after = [] {};
  const LaunchLock* lock = nullptr;
  void check() const override {
    before();
    if (lock != nullptr) lock->check();
    after();
  }
  [[nodiscard]] const std::string& token() const override {
    static const std::string none;
    return lock != nullptr ? lock->token() : none;
  }
};

struct AloneMail : Mail {
  [[nodiscard]] int worker() const override { return 0; }
  [[nodiscard]] int workers() const override { return 1; }
  void wait_for_all() const override {}
  void broadcast_bytes(std::string&, int) const override {}
  void share_failure(std::string&) const override {}
  void send(int, int, std::span<const std::byte>) const override {}
  [[nodiscard]] std::optional<int> waiting(int) const override { return std::nullopt; }
  void receive(int, int, std::span<std::byte>) const override {}
};

struct PublishTest : ::testing::Test, JournalFolder {
  PublishTest() { std::filesystem::create_directories(folder); }
  // Publishes the journals as they are, as a launch would.
  results::WriteSummary write(const Fence& fence) const {
    JournalRows rows(journal_folder(file), "key");
    const results::FileHeader header{.sweep_key = "key", .ids = 100, .is_partial = rows.size() < 100};
    return publish(around, fence, file, {rows, header, {}, nullptr, {}});
  }
  void write_journal(std::int32_t launch, sweep::PointIndex first, sweep::PointIndex last) const {
    Journal journal(journal_folder(file), header(launch, 0));
    for (sweep::PointIndex id = first; id < last; ++id) {
      const sweep::Row row = sample(id);
      journal.append({&row, 1});
    }
    journal.close("done");
  }
  // As if this process were another's on a host that went silent.
  void lose_lock() const {
    std::string text;
    std::getline(std::ifstream(lock_file(file)), text, '\0');
    text.replace(text.find("host "), 5, "host far-");
    std::filesystem::remove(lock_file(file));
    std::ofstream(lock_file(file)) << text;
  }
  // Another host takes over, finishes the file and removes the journals.
  void finish_elsewhere() const {
    lose_lock();
    const LaunchLock other(file, fast);
    remove_unfinished(real_disk(), file);
    write_journal(7, 0, 100);
    const auto written = write(other);
    files.verify(file, written);
    ASSERT_TRUE(remove_journals(real_disk(), other, journal_folder(file)));
  }
  void expect_whole() const {
    const auto state = files.state(file);
    ASSERT_TRUE(state);
    EXPECT_TRUE(state->complete);
    EXPECT_EQ(state->rows, 100);
    EXPECT_EQ(results::digest_of(file), state->rows_digest);
    EXPECT_EQ(*real_disk().files(folder).it, std::vector<std::string>{"o.h5"});
  }
  // Another launch finishes before or after this one looks at its lock.
  void expect_refused_where(std::function<void()> TestFence::*moment) {
    const LaunchLock lock(file, fast);
    write_journal(0, 0, 40);
    TestFence fence;
    fence.lock = &lock;
    fence.*moment = [this] { finish_elsewhere(); };
    EXPECT_THROW(write(fence), UserError);
    expect_whole();
  }
  std::filesystem::path file = folder / "o.h5";
  AloneMail mail;
  const simulate::Catalog catalog = results::sample_catalog();
  Hdf5ResultFiles files{catalog};
  Surroundings around{mail, real_disk(), real_host(), files};
};

TEST_F(PublishTest, OfALaunchFrozenBeforeItLooksAtItsLockIsRefused) {
  expect_refused_where(&TestFence::before);
}

TEST_F(PublishTest, OfALaunchFrozenAfterItLookedAtItsLockFindsNoFileToMove) {
  expect_refused_where(&TestFence::after);
}

TEST_F(PublishTest, RemovesNoJournalOfTheLaunchThatTookOver) {
  const LaunchLock lock(file, fast);
  write_journal(0, 0, 40);
  TestFence fence;
  fence.lock = &lock;
  fence.before = [this, is_lost = false]() mutable {
    if (std::exchange(is_lost, true)) return;
    lose_lock();
    const LaunchLock other(file, fast);
    write_journal(1, 40, 50);
  };
  EXPECT_THROW(remove_journals(real_disk(), fence, journal_folder(file)), UserError);
  EXPECT_EQ(JournalRows(journal_folder(file), "key").size(), 50);
}

TEST_F(PublishTest, LeavesFilesThatAreNotOurs) {
  write_journal(0, 0, 100);
  const auto journals = journal_folder(file);
  for (const char* const name :
       {"notes.txt", "launch.rows", "launch-1-worker-2.rows", "launch-0001-worker-00000-x.rows"})
    std::ofstream(journals / name) << "mine";
  std::filesystem::create_directory(journals / "launch-0002-worker-00000.rows");
  std::filesystem::create_symlink(journals / "notes.txt", journals / "launch-0003-worker-00000.rows");
  EXPECT_TRUE(remove_journals(real_disk(), TestFence(), journals));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(journals), {}), 6);
  EXPECT_EQ(JournalRows(journals, "key").size(), 0);
}

TEST_F(PublishTest, NoticesAFileThatChangedAfterItWasWritten) {
  write_journal(0, 0, 100);
  auto written = write(TestFence());
  EXPECT_NO_THROW(files.verify(file, written));
  written.rows = 99;
  EXPECT_THROW(files.verify(file, written), UserError);
  written.rows = 100;
  written.rows_digest = std::string(32, '0');
  EXPECT_THROW(files.verify(file, written), UserError);
}

TEST_F(PublishTest, RemovesUnfinishedFilesOfThisResultOnly) {
  for (const char* const name : {"o.h5.0123456789abcdef.tmp", "other.h5.0123456789abcdef.tmp", "o.h5.tmp",
                                 "o.h5.0123456789abcdeg.tmp", "o.h5"})
    std::ofstream(folder / name) << "x";
  remove_unfinished(real_disk(), file);
  EXPECT_FALSE(std::filesystem::exists(folder / "o.h5.0123456789abcdef.tmp"));
  EXPECT_EQ(real_disk().files(folder).it->size(), 4u);
}

// The old sweep, run again while an extension of it is under way.
TEST_F(PublishTest, ACompleteFileKeepsTheJournalsOfItsExtension) {
  write_journal(0, 0, 100);
  write(TestFence());
  auto extension = header(1, 0);
  extension.sweep.sweep_key = "larger";
  {
    Journal journal(journal_folder(file), extension);
    const sweep::Row row = sample(100);
    journal.append({&row, 1});
    journal.close("done");
  }
  LaunchRequest request{.file = file, .header = {.sweep_key = "key"}};
  request.space = {.size = 100,
                   .config_id = [](sweep::PointIndex id) { return sample(id).config_id; },
                   .config = [](sweep::PointIndex id) { return sample(id).config; }};
  EXPECT_TRUE(look_back(around, TestFence(), request).complete);
  EXPECT_EQ(JournalRows(journal_folder(file), "larger").size(), 1);
}

// What is behind a name that somebody laid as a link stays as it was.
TEST_F(PublishTest, NeverFollowsLinks) {
  const auto victim = folder / "victim";
  std::ofstream(victim) << "precious";
  const auto journals = journal_folder(file);
  std::filesystem::create_directory(journals);
  std::filesystem::create_symlink(victim, journals / worker_file_name(0, 0, ".rows"));
  std::filesystem::create_symlink(victim, journals / worker_file_name(0, 0, ".claim"));
  std::filesystem::create_symlink(victim, lock_file(file));
  EXPECT_THROW(Journal(journals, header(0, 0)), UserError);
  EXPECT_THROW(ClaimPage(journals, header(0, 0)), UserError);
  EXPECT_THROW(LaunchLock(file, fast), UserError);
  EXPECT_EQ(real_disk().open(lock_file(file), Disk::Use::update).error, ELOOP);
  EXPECT_EQ(read_whole(real_disk(), lock_file(file)).error, ELOOP);
  EXPECT_EQ(*read_whole(real_disk(), victim).it, "precious");

  const auto elsewhere = folder / "elsewhere";
  std::filesystem::create_directory(elsewhere);
  const auto linked = folder / "linked.h5";
  std::filesystem::create_directory_symlink(elsewhere, journal_folder(linked));
  EXPECT_THROW(Journal(journal_folder(linked), header(0, 0)), UserError);
  EXPECT_TRUE(std::filesystem::is_empty(elsewhere));
}

TEST_F(PublishTest, GivesFilesNoMoreThanTheMaskAllowsAndNeverMoreThanReading) {
  for (const auto& [mask, mode] : {std::pair<mode_t, mode_t>{0, 0644}, {022, 0644}, {077, 0600}}) {
    std::filesystem::remove_all(folder);
    const mode_t before = ::umask(mask);
    {
      const LaunchLock lock(file, fast);
      write_journal(0, 0, 10);
      const ClaimPage page(journal_folder(file), header(0, 0));
      write(lock);
      for (const auto& name : {lock_file(file), file, journal_folder(file) / worker_file_name(0, 0, ".rows"),
                               journal_folder(file) / worker_file_name(0, 0, ".claim")}) {
        struct stat facts {};
        ASSERT_EQ(::stat(name.c_str(), &facts), 0) << name;
        EXPECT_EQ(facts.st_mode & 07777, mode) << name;
      }
      struct stat facts {};
      ASSERT_EQ(::stat(journal_folder(file).c_str(), &facts), 0);
      EXPECT_EQ(facts.st_mode & 0777 & ~mode_t{0755}, 0u);
    }
    ::umask(before);
  }
}

}  // namespace
}  // namespace echo::parallel
